"""Tests of the games as learning environments, for PettingZoo, Gymnasium and OpenSpiel."""
