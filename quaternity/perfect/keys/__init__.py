"""Canonical states: states share a key if they differ only in names of cards, sets and players."""
