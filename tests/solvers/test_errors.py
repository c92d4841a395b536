"""Errors keep their type, message and attributes when they pass between processes."""

import pickle
from collections.abc import Callable

import pytest

from quaternity.base.errors import (
    FaultPlace,
    IllegalMove,
    PlayerTimeout,
    QuaternityError,
    SolverTimeout,
)
from quaternity.game.record import parse_record
from quaternity.game.state_file import parse_any
from quaternity.kwartet.log import parse_log
from quaternity.quarto.pieces_file import read_pieces
from quaternity.workers.isolated_calls import own_process


def refusal(read: Callable[[str], object]) -> QuaternityError:
    """Return the error of a reader about a file of another format."""
    with pytest.raises(QuaternityError) as caught:
        read("quaternity 2\nnonsense")
    return caught.value


ERRORS = [
    IllegalMove("'1 asks 1'", ["a player cannot ask themselves", "it is not his turn"]),
    PlayerTimeout("took too long", "", FaultPlace("mine", 1, 2, 3, None, "")),
    SolverTimeout("after 5 s"),
    *[refusal(read) for read in (parse_record, parse_any, parse_log, read_pieces)],
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_passes_between_processes(error: QuaternityError) -> None:
    """It can be pickled, and comes from a process that may return only values."""
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - written just above
    assert type(copy) is type(error)
    assert (str(copy), copy.args, vars(copy)) == (str(error), error.args, vars(error))
    with pytest.raises(type(error)) as caught:
        own_process().call(raise_error, error)
    attributes = {name: value for name, value in vars(caught.value).items() if name != "__notes__"}
    assert (str(caught.value), attributes) == (str(error), vars(error))


def raise_error(error: QuaternityError) -> None:
    raise error
