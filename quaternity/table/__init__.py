"""What happens around a game, written once for every game.

`protocol` says what a game is, `plain_rules` has what most games do alike, and `conformance` tries
it; `match` is one game under way, `players` who can sit in its seats, `journal` the record that is
kept of it.
"""
