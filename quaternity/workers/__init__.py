"""Bulk work in one or several processes or on a cluster, and isolation of external code."""
