"""The drawing of tables in a browser: it turns a `TableView` into the values of HTML templates.

`frame` draws the parts of the page that all games share. For the rest, each game has a template
`templates/GAME.html` and a module with a function `part(sight)`, which returns the values of the
template. The values may include `headline` and `advice`, which replace the texts of the frame, and
`notes`, which are shown beside the points of each seat.
"""
