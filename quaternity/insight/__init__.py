"""Implications of a state and their reasons: analysis, information, explanations, checks."""
