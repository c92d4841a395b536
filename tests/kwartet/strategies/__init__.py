"""Tests of strategies that are more than a function."""
