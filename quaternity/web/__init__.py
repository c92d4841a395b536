"""The web server: tables stored on disk, requests, events and pages.

`store` stores tables and moves, and `tables` applies the rules of a game to them. `streams` sends
events to players and bystanders, and `background` runs programs and counts in other processes.
`middleware` checks requests before `api` (JSON) or `pages` (HTML) handles them, and `rendering`
draws the pages. A `table_view.TableView` holds everything that one viewer may see of a table. `app`
builds the ASGI application. The rules of the games are not in this package.
"""
