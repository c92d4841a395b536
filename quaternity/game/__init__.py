"""Quaternity itself: settings, cards, questions, states and games; immutable values.

A `state` is a deal problem with a turn and completed sets. `set_moves` prepares what may be asked
about one set, `legal` looks it up for all of them, `transition`, `completion` and `turns` say what
an answer does, `faults` why a move is refused. A `game` is a state with the moves that led to it.
"""
