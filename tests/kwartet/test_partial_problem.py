"""Problems stated by some requests: all requests give the record, fewer allow more deals."""

from random import Random

from quaternity.kwartet.partial_problem import stated_by
from quaternity.kwartet.settings import KwartetSettings
from tests.kwartet.games import random_log


def test_without_any_request_only_the_rules_and_the_hands_count() -> None:
    log = random_log(KwartetSettings(4, 5), Random(3), 30)
    problem = stated_by(log.positions[0].public, log.events, ())
    assert problem.hands == log.positions[-1].public.hands
    assert all(not any(row.low) for row in problem.sets)
    assert all(set(row.owners) <= {0b1111} for row in problem.sets)
