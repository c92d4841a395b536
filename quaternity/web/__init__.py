"""The web server, for playing games in a browser or using a JSON API.

`app` builds the ASGI application. `middleware` checks each request before `api` (JSON) or `pages`
(HTML) handles it, and `rendering` draws the pages. A game is played at a table. The state of a
table (`core`) is a value. A command (`move_commands`, `seat_commands`, `game_commands`) decides
which events follow, and each event leads to a new state. An `actor.LiveTable` executes the commands
of a table one at a time: it decides, stores the events (`table_rows`, `store`), applies and
publishes them (`publisher`). Around it are `presence`, `programs`, the `lobby` and `maintenance`.
A `table_view.TableView`, made by `view`, holds everything that one visitor may see of a table.
`background` runs computer players and expensive computations in other processes.
"""
