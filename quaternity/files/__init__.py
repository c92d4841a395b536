"""Files: reading and writing safely, state files, records, and the journal of a game."""
