"""Possible moves in canonical states, and the states that follow: one by one, or in arrays."""
