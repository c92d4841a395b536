"""Strategies of Kwartet players, which are functions that choose requests."""
