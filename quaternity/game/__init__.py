"""The game of Quaternity: settings, cards, questions, states and games, all of them immutable.

A `state` says which deals of the cards are possible (as a deal problem), which player is to move,
and which sets are completed. A `game` contains the moves that led to a state. `transition` computes
the effects of a question, `legal` finds the legal questions, and `faults` explains why a question
is illegal. `record` reads and writes games as text, and `state_file` does the same for states.
`rules` connects the game to the interface that all games in this project share.
"""
