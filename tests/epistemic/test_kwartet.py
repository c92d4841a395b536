"""Common knowledge after every request of Kwartet, in real games."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from quaternity.epistemic import C, EvaluationMethod, Formula, H, K, P, evaluate, every, some
from quaternity.game.cards import Card
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event
from quaternity.kwartet.settings import SET_SIZE, AnnounceTiming, KwartetSettings
from tests.agreement import agree
from tests.kwartet.games import random_log, random_settings


def two_ways(size: int) -> dict[str, Callable[..., bool]]:
    ways = (EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS)
    return {str(way): partial(evaluate, method=way, set_size=size) for way in ways}


def public_fact(event: Event, after: Position) -> Formula:
    """Return a formula that is common knowledge after a request."""
    (asker, asked, card), players = event.question, range(after.public.settings.players)
    index, size = card.set_index, after.public.settings.set_size
    others = some(H(asker, Card(index, number)) for number in range(size) if number != card.number)
    facts: list[Formula] = []
    if after.public.removed[index] is None:
        if event.answer:
            facts = [H(asker, card), others]
        else:
            facts = [~H(asked, card), others | H(asker, card)]
    for gone, player in enumerate(after.public.removed):
        if player is not None:
            cards = [Card(gone, number) for number in range(size)]
            facts += [~H(other, card) for other in players for card in cards]
    return every(facts)


@pytest.mark.parametrize("seed", range(8))
def test_requests_of_small_games(seed: int) -> None:
    random = Random(seed)
    log = random_log(random_settings(random, range(2, 4), range(2, 4)), random, 25)
    settings, size = log.settings, log.settings.set_size
    for event, after in zip(log.events, log.positions[1:], strict=True):
        place = after.public.problem, after.deal
        fact = public_fact(event, after)
        assert agree(two_ways(size), C(fact, range(settings.players)) & P(fact), *place) is True
        # The owner of the cards knows it, and both evaluators agree on the view of all others.
        owner = random.randrange(settings.hands)
        knower = random.randrange(settings.players)
        card = Card(random.randrange(settings.sets), random.randrange(size))
        held = H(owner, card)
        agree(two_ways(size), K(knower, held) | K(knower, ~held), *place)
        agree(
            two_ways(size), K(knower, ~K(owner, ~held)) | C(held, range(settings.players)), *place
        )


@pytest.mark.parametrize("announce", list(AnnounceTiming))
def test_requests_at_full_size(announce: AnnounceTiming) -> None:
    log = random_log(KwartetSettings(announce=announce), Random(announce))
    for number in range(0, len(log.events), 7):
        event, after = log.events[number], log.positions[number + 1]
        problem, deal = after.public.problem, after.deal
        assert evaluate(
            C(public_fact(event, after)), problem, deal, EvaluationMethod.SOLVERS, set_size=SET_SIZE
        )
