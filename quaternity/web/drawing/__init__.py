"""What each game shows in a browser: from a sight to what its template draws.

A module per game has one function, `part(sight) -> dict`; its template is `templates/GAME.html`. A
part may say `headline` and `advice`, which the frame shows instead of its own, and `notes`, a text
per seat beside its points.
"""
