"""Random play, Hypothesis strategies, fuzzing campaigns and comparisons of solvers."""
