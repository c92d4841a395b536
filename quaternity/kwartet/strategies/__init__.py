"""Strategies of Kwartet players."""
