"""Canonical states: states that differ only in names share one key."""
