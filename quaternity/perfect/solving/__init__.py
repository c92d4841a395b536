"""Solving whole games: canonical states, forced wins, and outcomes of self-interested play."""
