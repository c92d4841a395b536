"""Drawing of games in a browser: functions that compute the values for HTML templates.

A `TableView` contains everything that one visitor may see of a table. Functions of this package
take it as the argument `sight`. A visitor who has no seat at the table is a bystander.

`frame` draws the parts of the page that all games share, such as the seats. Each game has a
template `templates/GAME.html` for the rest of the page, and a module with a function `part(sight)`,
which returns a dictionary of template values. The optional values `headline` and `advice` replace
the texts at the top of the page, and the optional value `notes` contains a note for each seat.
`moments` describes the texts and animations between two positions, and `puzzles` draws puzzles on
the boards of the games.
"""
