"""Framework for all games: rules, matches, players, records and tournaments.

`protocol` defines the interface of a game, `plain_rules` implements its common parts, and
`conformance` checks an implementation. `history` records the moves of a game. `match` plays one
game, `players` creates its players, and `journal` writes its record to a file.
"""
