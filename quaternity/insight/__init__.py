"""What a state implies, and why: analysis, information, explanations, the validity check."""
