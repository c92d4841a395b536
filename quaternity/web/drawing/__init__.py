"""The drawing of a table in a browser: from a sight to what the templates draw.

`frame` is what all games share. A module per game has one function, `part(sight) -> dict`; its
template is `templates/GAME.html`. A part may say `headline`, `advice` and `news`, which the frame
shows instead of its own, and `notes`, a text per seat beside its points.
"""
