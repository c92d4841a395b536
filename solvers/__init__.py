"""Exact solvers for deal problems: can these cards be dealt, and how do we know?"""
