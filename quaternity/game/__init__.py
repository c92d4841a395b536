"""The game of Quaternity: settings, cards, questions, states and games, all of them immutable.

`transition` has the rules of a question. `legal` finds the legal questions, and `faults` explains
why a question is illegal. A `state` combines a deal problem with the turn and the completed sets,
and a `game` has the moves that led to a state. `record` and `state_file` read and write them as
text, and `rules` adapts the game to the interface of all table games.
"""
