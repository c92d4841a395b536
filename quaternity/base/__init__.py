"""Shared foundations: errors, validation, messages, files, plug-ins, caches and time limits.

This package does not depend on any game or solver. It is the only part of `quaternity` that
`solvers` imports.
"""
