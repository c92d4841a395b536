"""Tournaments of any game: balanced seatings, many games, scores and ratings.

`seatings` assigns the players to seats, and `playing` plays the games. `scores` computes scores and
ratings with standard errors, and `picture` plots them.
"""
