"""Progress of a search for a largest collection: the best so far, and an upper bound."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Any, Generic, TypeVar

from quaternity.base.cp_sat_search import run_search
from quaternity.base.errors import InputError, LimitError, SolverFault, SolverTimeout
from quaternity.base.validation import check_random, check_time_limit
from quaternity.ternary.cards import CARDS

Item = TypeVar("Item")
Collection = tuple[Item, ...]


class Incumbent(Generic[Item]):
    """The largest collection that a search has found so far, and an upper bound on its size.

    No collection is larger than `bound`. Both are valid even after an interrupt of the search.
    """

    __slots__ = ("_end", "_found", "_right", "_seconds", "_verified", "bound", "random")

    def __init__(self) -> None:
        self.start(CARDS)

    def start(
        self,
        bound: int,
        right: Callable[[Collection[Item]], bool] = lambda found: True,
        seconds: float | None = None,
        random: Random | None = None,
    ) -> None:
        """Begin a new search: forget earlier results, and set the initial bound.

        `right` is a function that checks whether a collection is valid. `seconds` is the time
        limit; None means that each search method uses its own limit. `random` makes the search
        random; None means that every run is the same.
        """
        self._found: Collection[Item] = ()
        self._verified = 0
        self.bound = bound
        self.random = None if random is None else check_random(random)
        self._right = right
        self._seconds = check_time_limit(seconds)
        self._end = None if self._seconds is None else monotonic() + self._seconds

    @property
    def found(self) -> Collection[Item]:
        """The largest collection found so far. Raise `SolverFault` if it is invalid."""
        collection = self._found
        if len(collection) > self._verified:
            if not self._right(collection):
                raise SolverFault(f"the collection found is invalid: {collection}")
            self._verified = len(collection)
        return collection

    @property
    def size(self) -> int:
        """The number of items in the largest collection found."""
        return len(self._found)

    @property
    def proved(self) -> bool:
        """Whether the largest collection found is proved to be the largest possible."""
        return self.size >= self.bound

    def improve(self, collection: Collection[Item]) -> None:
        """Replace the largest collection found so far if this collection is larger."""
        if len(collection) > self.size:
            self._found = collection

    def lower(self, bound: int) -> None:
        """Replace the upper bound if `bound` is lower."""
        self.bound = min(self.bound, max(bound, self.size))

    def seconds_left(self, default: float | None = None) -> float | None:
        """Return the seconds until the time limit, or `default` if there is no time limit.

        Raise SolverTimeout if the limit has been reached.
        """
        if self._end is None:
            return default
        remaining = self._end - monotonic()
        if remaining <= 0:
            raise SolverTimeout(f"the time limit of {self._seconds:g} s was reached; {self}")
        return remaining

    def limit(self, steps: int, max_steps: int) -> None:
        """Raise an error if the search must stop. A search calls this method at each step.

        With a time limit, this is a `SolverTimeout` if no time is left. Without a time limit, it is
        a `LimitError` if the number of `steps` so far exceeds `max_steps`.
        """
        if self._end is None:
            if steps > max_steps:
                raise LimitError(f"undecided after {max_steps} nodes of the search; {self}")
        elif steps % 64 == 1:
            self.seconds_left()

    def run_cp_sat(
        self, model: Any, seconds: float, unanswered: Callable[[], str], **others: Any
    ) -> Any:
        """Run CP-SAT on a model within the time that is left, and return the result.

        `seconds` is the time limit if the search has none. The arguments and the result are those
        of `quaternity.base.cp_sat_search.run_search`.
        """
        if self.random is not None:
            others |= {"randomize_search": True, "seed": self.random.randrange(2**31)}
        seconds_left = self.seconds_left(seconds)
        return run_search(model, seconds_left, unanswered, linearization_level=2, **others)

    def __str__(self) -> str:
        return f"best found: {self.size}, upper bound: {self.bound}"


def start_record(
    best: Incumbent[Item] | None,
    bound: int,
    right: Callable[[Collection[Item]], bool],
    seconds: float | None,
    random: Random | None,
) -> Incumbent[Item]:
    """Start a new search, and return the `Incumbent` that will keep its best result.

    If `best` is given, it is reused, and its earlier results are forgotten. See `Incumbent.start`
    for the other arguments.
    """
    if best is not None and not isinstance(best, Incumbent):
        raise InputError(f"best: must be an Incumbent, not {best!r}")
    record: Incumbent[Item] = Incumbent() if best is None else best
    record.start(bound, right, seconds, random)
    return record
