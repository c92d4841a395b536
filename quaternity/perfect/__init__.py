"""Perfect play of Quaternity: canonical states, a solver, tablebases and bots.

States that differ only in the names of cards, sets and players share one *canonical state* (module
`canonical`). All canonical states that can follow from a start form a graph (`graph`). Retrograde
analysis of the graph finds which players can force a win, which can win at all, and whose win each
player can prevent (`retrograde`, `solver`). The module `max_n` applies backward induction to games
in which all players want points or a win for themselves. A `tablebase` stores the results in a
file. The package `bots` contains programs that play.

>>> from quaternity import Settings, State
>>> from quaternity.perfect.solving.solver import solve
>>> start = State.start(Settings(set_size=3, sets=2, players=2))
>>> solve(start).standing(start).forced_length     # player 0 wins in 3 moves, player 1 cannot
(3, None)
"""
