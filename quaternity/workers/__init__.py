"""Parallel work in several processes or on a cluster, and isolation of external code."""
