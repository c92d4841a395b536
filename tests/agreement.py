"""A helper that checks that several methods give one answer."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def agree(
    methods: Mapping[str, Callable[..., T]],
    *arguments: Any,
    check: Callable[[T], bool] | None = None,
    answer: Callable[[T], Any] = lambda result: result,
) -> T:
    """Run every method on the same arguments, check each result, and require one answer.

    Args:
        methods: name -> function; all are called with `arguments`.
        check: whether a result is right by its own evidence (certificate, witness, total).
        answer: the part of a result that all methods must share; by default all of it.

    Returns the first method's result.
    """
    assert len(methods) >= 2, "an agreement needs two methods"
    results = {name: method(*arguments) for name, method in methods.items()}
    if check is not None:
        for name, result in results.items():
            assert check(result), f"{name}: {result!r} does not verify on {arguments!r}"
    answers = {name: answer(result) for name, result in results.items()}
    first = next(iter(answers.values()))
    assert all(other == first for other in answers.values()), f"{answers!r} on {arguments!r}"
    return next(iter(results.values()))


__all__ = ["agree"]
