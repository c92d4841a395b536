"""Perfect play and players: canonical states, the solver, tablebases, bots and tournaments.

Two states are one *canonical state* when they differ in names only (`canonical`). All of them that
can follow from a start form a graph (`graph`), on which retrograde analysis finds who can
force a win, who can win at all and who can prevent whose win (`retrograde`, `solver`);
`everybody` has backward induction for players who want points or a win. A `tablebase` keeps the
answers in a file. `bots` play, and a `tournament` says how well.

>>> from quaternity import Settings, State
>>> from quaternity.perfect.solving.solver import solve
>>> start = State.start(Settings(set_size=3, sets=2, players=2))
>>> solve(start).standing(start).forced_length     # player 0 wins in so many moves, player 1 never
(3, None)
"""
