"""Work in one process, several processes or a cluster, and isolation of external code."""
