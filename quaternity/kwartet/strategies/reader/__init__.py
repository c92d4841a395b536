"""`reader`: a player that infers hidden cards from requests.

The choice of a request reveals what else the asker holds. The modules, in the order of their work:
`holdings` describes what players may hold of a set, with weights on the ways to distribute it.
`coupling` turns the weights of all sets into chances, given the hand sizes. `asking` computes what
the known strategies would have asked with each holding. `reading` multiplies these likelihoods into
the weights, request by request. `policy` follows `patient`'s plan with the resulting chances.
"""

from quaternity.kwartet.strategies.reader.policy import beliefs, reader

__all__ = ["beliefs", "reader"]
