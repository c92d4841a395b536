"""Problems stated by some requests: all requests give the record, fewer allow more deals."""

from random import Random

import pytest

from quaternity.kwartet.partial_problem import stated_by
from quaternity.kwartet.settings import KwartetSettings
from solvers import deal_faults
from solvers.sampling import sample_deals
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough


@pytest.mark.parametrize("seed", range(thorough(12, 100)))
def test_all_requests_state_the_record_and_fewer_state_less(seed: int) -> None:
    random = Random(f"stated/{seed}")
    settings = random_settings(random, range(2, 6), range(2, 9))
    log = random_log(settings, random, random.randrange(60))
    start, last = log.positions[0].public, log.positions[-1].public
    everything = range(len(log.events))
    assert stated_by(start, log.events, everything) == last.problem
    chosen = set(everything)
    deals = [log.positions[-1].deal]
    while True:
        problem = stated_by(start, log.events, chosen)
        assert all(not deal_faults(problem, deal.owner) for deal in deals)
        if settings.players < 5:
            deals += sample_deals(problem, random, 2)
        if not chosen:
            break
        chosen -= set(random.sample(sorted(chosen), random.randint(1, len(chosen))))


def test_without_any_request_only_the_rules_and_the_hands_count() -> None:
    log = random_log(KwartetSettings(4, 5), Random(3), 30)
    problem = stated_by(log.positions[0].public, log.events, ())
    assert problem.hands == log.positions[-1].public.hands
    assert all(not any(row.low) for row in problem.sets)
    assert all(set(row.owners) <= {0b1111} for row in problem.sets)
