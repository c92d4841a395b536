"""Drawing of games in a browser: functions that compute the values of HTML templates.

A `TableView` holds everything that one visitor may see of a table. `frame` draws the parts of the
page that all games share, such as the seats. Each game has a template `templates/GAME.html` for the
rest, and a module with a function `part(sight)`, which computes the values of the template from a
`TableView`. The optional values `headline` and `advice` replace the texts at the top of the page,
and `notes` contains a note for each seat. `moments` draws what happens between two positions, and
`puzzles` draws puzzles on the same boards.
"""
