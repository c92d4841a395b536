"""Quaternity itself: settings, cards, questions, states and games; immutable values.

The rules of a question stand in `transition`, once. `legal` finds what may be asked about the sets
of a position, `faults` says why something is refused, and a `state` (a deal problem with a turn and
completed sets) asks both. A `game` is a state with the moves that led to it; `record` and
`state_file` are their texts, `rules` is the game at a table.
"""
