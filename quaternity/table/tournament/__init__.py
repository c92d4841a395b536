"""Many games of any game at the table: who sits where, what came of it, and how sure that is.

`seatings` says who sits where, `playing` plays the games, `scores` adds them up with standard
errors and ratings, and `picture` draws that.
"""
