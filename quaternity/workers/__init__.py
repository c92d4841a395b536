"""Bulk work in this process, in several processes or on a cluster; isolation of external code."""
