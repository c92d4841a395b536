"""Successors of canonical states: for one state at a time, or for many states in arrays."""
