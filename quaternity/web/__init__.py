"""The web server for playing at tables in a browser or by a JSON API.

`store` stores the tables and their moves on disk, and `tables` makes, changes and deletes tables.
`streams` sends events to players and bystanders. `background` runs computer players and expensive
computations in other processes. `middleware` checks each request before `api` (JSON) or `pages`
(HTML) handles it, and `rendering` draws the pages. A `table_view.TableView` holds everything that
one visitor may see of a table. `app` builds the ASGI application. The rules of the games are in
other packages.
"""
