"""Canonical states: states that differ only in names get one key, singly or in arrays."""
