"""The web server, for playing games in a browser or using a JSON API.

`app` builds the ASGI application. `middleware` checks each request before `api` (JSON) or `pages`
(HTML) handles it, and `rendering` draws the pages. A game is played at a table: `tables` makes,
changes and deletes tables, and `store` keeps them in a database. A `table_view.TableView` holds
everything that one visitor may see of a table. `streams` sends the events of a table to its
visitors. `background` runs computer players and expensive computations in other processes.
"""
