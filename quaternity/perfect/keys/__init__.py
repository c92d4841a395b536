"""Canonical states: states that differ only in the names of cards, sets and players share a key."""
