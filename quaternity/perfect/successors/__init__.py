"""Moves in canonical states, and the states that follow, for one state or an array of states."""
