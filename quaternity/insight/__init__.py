"""Analysis of Quaternity games: deductions, probabilities, explanations and validity checks."""
