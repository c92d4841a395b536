"""Tests of games and solvers: random play, Hypothesis strategies, fuzzing and comparisons."""
