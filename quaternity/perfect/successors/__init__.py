"""What one step of a game leads to: for one canonical state, or for many by arrays."""
