"""Strategies by name."""
