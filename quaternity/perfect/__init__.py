"""Perfect play of Quaternity: canonical states, a solver, tablebases and bots.

States that differ only in the names of cards, sets and players share one *canonical state* (package
`keys`). The package `solving` finds all canonical states that can follow from a start. It computes
which players can force a win, can win at all, or can prevent the win of another player. It can also
compute the outcomes if all players play for themselves. The module `tablebase` stores results in a
file. `solved_game` solves a game with all its results, and `forced_win` finds out whether a player
can force a win. The package `bots` contains computer players.

>>> from quaternity import Settings, State
>>> from quaternity.perfect.solving.solver import solve
>>> start = State.start(Settings(set_size=3, sets=2, players=2))
>>> solve(start).standing(start).forced_length     # player 0 wins in 3 moves, player 1 cannot
(3, None)
"""
