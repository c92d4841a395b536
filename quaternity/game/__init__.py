"""The game of Quaternity: settings, cards, questions, states and games, all of them immutable.

`transition` implements the rules of a question. `legal` finds the legal questions, and `faults`
explains why a question is illegal. A `state` combines a deal problem with the turn and the
completed sets, and a `game` contains the moves that led to a state. `record` reads and writes games
as text, and `state_file` does the same for states. `rules` adapts the game to the interface that
all table games share.
"""
