"""Random play, Hypothesis strategies, fuzzing campaigns, and the comparison of solvers."""
