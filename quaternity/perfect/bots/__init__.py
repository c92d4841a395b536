"""Bots for Quaternity: programs that choose questions and, if there is a choice, answers."""
