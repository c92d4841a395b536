"""Canonical states: every state by the smallest of its names, one at a time or in arrays."""
