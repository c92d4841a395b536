"""Bots for Quaternity: programs that choose questions, and answers if there is a choice."""
