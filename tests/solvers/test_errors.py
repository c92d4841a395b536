"""Errors are the same in another process, whatever they were made of."""

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
from quaternity.workers.own_process import own_process

MADE = [
    IllegalMove("'1 asks 1'", ["a player cannot ask themselves", "it is not his turn"]),
    PlayerTimeout("took too long", "", FaultPlace("mine", 1, 2, 3, None, "")),
    SolverTimeout("after 5 s"),
]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_an_error_keeps_what_it_says(error: QuaternityError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - written just above
    assert type(again) is type(error)
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


@pytest.mark.parametrize("read", [parse_record, parse_any, parse_log, read_pieces])
def test_what_a_file_is_refused_for_is_told_by_another_process_too(
    read: Callable[[str], object],
) -> None:
    with pytest.raises(QuaternityError) as caught:
        read("quaternity 2\nnonsense")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - written just above
    assert str(again) == str(caught.value)


def raised(error: QuaternityError) -> None:
    raise error


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_an_error_comes_from_a_process_of_which_only_values_are_read(
    error: QuaternityError,
) -> None:
    with pytest.raises(type(error)) as caught:
        own_process().call(raised, error)
    kept = {name: value for name, value in vars(caught.value).items() if name != "__notes__"}
    assert (str(caught.value), kept) == (str(error), vars(error))
