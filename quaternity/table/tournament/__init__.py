"""Tournaments of any table game: balanced seatings, many games, scores and ratings.

`seatings` assigns players to seats, `playing` plays the games, `scores` computes scores and ratings
with standard errors, and `picture` draws them.
"""
