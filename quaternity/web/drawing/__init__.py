"""The drawing of a table in a browser: from a sight to the values of the templates.

`frame` draws the parts that all games share. Each game has a module with a function
`part(sight) -> dict` and a template `templates/GAME.html`. The part may contain `headline` and
`advice`, which replace those of the frame, and `notes`, a text for each seat beside its points.
"""
