"""The foundation of everything: errors, plain values, words, files, plug-ins, memory and time.

It knows no game and no solver, and is the only part of `quaternity` that `solvers` imports.
"""
