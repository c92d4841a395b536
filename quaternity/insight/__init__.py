"""Implications of a state, and why: analysis, information, explanations, the validity check."""
