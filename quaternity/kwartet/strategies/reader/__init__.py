"""The Kwartet strategy `reader`, which infers hidden cards from requests.

The choice of a request reveals what else the asker holds. `holdings` computes weights for the cards
of a set that each player may hold. `coupling` turns the weights of all sets into probabilities,
given the hand sizes. `asking` computes what the known strategies would have asked with each
holding. `reading` multiplies the weights by these likelihoods, request by request. `policy` chooses
requests like the strategy `patient`, with the resulting probabilities.
"""

from quaternity.kwartet.strategies.reader.policy import beliefs, reader

__all__ = ["beliefs", "reader"]
