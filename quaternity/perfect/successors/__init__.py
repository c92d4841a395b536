"""The moves in canonical states, and the states that follow: for one state, or many in arrays."""
