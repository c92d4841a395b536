"""Shared foundations: errors, validation, messages, files, plug-ins, memos and time limits.

This package depends on no game and no solver. It is the only part of `quaternity` that `solvers`
imports.
"""
