"""Refutations of SAT solvers as clauses, checked by `dratify` where it is installed."""

from random import Random

import pytest

from solvers import solve
from solvers.exchange.rows import linear_model
from solvers.random_problems import GameSize, boundary_pair, game_like
from solvers.rivals.sat import clauses
from tests.sizes import thorough
from tests.solvers.clause_proofs import Refutation, refutation

pytest.importorskip("pysat")
pytest.importorskip("dratify")


@pytest.mark.parametrize("solver", ["cadical195", "glucose42", "lingeling"])
@pytest.mark.parametrize("seed", range(thorough(3, 20)))
def test_refutations_are_accepted(solver: str, seed: int) -> None:
    random = Random(seed)
    possible, impossible = boundary_pair(game_like(random, GameSize(3, 4, 3)), random)
    assert refutation(linear_model(possible), solver) is None
    linear = linear_model(impossible)
    assert not solve(impossible)
    if linear.trivial_refutation is None:
        result = refutation(linear, solver)
        assert result is not None
        assert result.check()
        # It does not refute a formula that can be satisfied.
        assert not Refutation(clauses(linear_model(possible), "seqcounter"), result.proof).check()
