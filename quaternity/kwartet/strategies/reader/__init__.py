"""`reader`: a player that reads requests.

Whoever asks for a card tells by the choice what else they hold. The parts, in the order in which
they work: `holdings` are what players may hold of a set, and weights on the ways to share it out;
`coupling` makes chances of the weights of all sets, given the hand sizes; `asking` says what the
known strategies would have asked with each holding; `reading` multiplies these likelihoods into the
weights, request by request; `policy` plays `patient`'s plan on the chances that come out.
"""

from quaternity.kwartet.strategies.reader.policy import beliefs, reader

__all__ = ["beliefs", "reader"]
