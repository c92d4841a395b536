"""The web server, for playing games in a browser or through a JSON API.

These words have a fixed meaning in this package:

- A table is the place where one game is played. It has a seat for each player. A seat belongs to a
  person, is played by a program, or is open. A program is a computer player.
- A visitor is a person who opens a table. A player owns a seat, and a bystander only looks on. A
  host is the visitor who made the table, or the first player who is present.
- The log of a table lists its moves and take-backs in order. The version of a table is the number
  of entries in its log. The revision counts all changes, including changes of seats and votes.
- A command is a request to change a table. Given the state of the table, it returns the events that
  carry out the change. Each event leads to a new state of the table.
- The store holds all tables, in an SQLite file or in a PostgreSQL database that servers can share.
- A series is a chain of rematches between the same players. The database calls it an evening.

`app` builds the ASGI application. `middleware` checks each request before `api` (JSON) or `pages`
(HTML) handles it, and `rendering` draws the pages. The state of a table (`core`) is an immutable
value. The commands are in `move_commands`, `seat_commands` and `game_commands`. An
`actor.LiveTable` executes the commands of a table one at a time. It calls a command to get its
events, and stores the events (`table_rows`, `store`). Then it applies them to the state, and sends
them to the visitors (`publisher`). Its helpers are `presence` (who is connected) and `programs`
(computer players); `lobby` makes and finds tables, and `maintenance` runs periodic tasks. A
`table_view.TableView`, made by `view`, holds everything that one visitor may see of a table.
`background` runs computer players and expensive computations in other processes.
"""
