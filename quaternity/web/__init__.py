"""The table in a browser: tables kept on disk, requests, events and pages.

`store` keeps what happens, `tables` plays it by the rules of a game, `streams` tells who looks on,
`thinking` lets programs and counts run elsewhere, `guards` refuses what is not meant for us, `api`
takes requests of programs and pages, `pages` those of browsers, and `rendering` draws. What anybody
is shown of a table is a `sight.Sight`, and `app` puts all together. No rule of any game is in here.
"""
