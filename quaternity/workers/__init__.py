"""Bulk work in this process, in several, or on a cluster."""
