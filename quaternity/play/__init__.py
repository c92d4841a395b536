"""Perfect play and players: canonical states, the solver, tablebases, bots and tournaments."""
