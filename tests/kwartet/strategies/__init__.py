"""Strategies that are more than a function."""
