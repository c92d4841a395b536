"""The Kwartet strategy `reader`, which infers hidden cards from the requests of other players.

Requests reveal more about hidden cards than the rules alone, because players choose requests
according to their cards. The package has these modules:

- `holdings`: weights for each *holding*, the cards of one set that a player may hold.
- `coupling`: probabilities of cards, computed from the weights of all sets and the hand sizes.
- `asking`: what the known strategies would have asked with each holding.
- `reading`: updates of the weights after each request, according to `asking`.
- `policy`: choice of a request, like the strategy `patient` but with the inferred probabilities.
"""

from quaternity.kwartet.strategies.reader.policy import beliefs, reader

__all__ = ["beliefs", "reader"]
