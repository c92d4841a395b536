"""Programs and counts in separate processes, under limits."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from time import sleep
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.quarto.rules import QuartoRules
from quaternity.ternary.rules import SetRules
from quaternity.web.background import BackgroundWork, ProcessPool
from quaternity.web.http_errors import HttpError
from quaternity.web.rate_limits import MAX_PENDING_COUNTS, WORK, Limits, RateLimits, client_address
from tests.limits import limited
from tests.own_process_calls import exits, takes, wait_for_letter
from tests.web.pipes import Pipe


@pytest.fixture
def thinking() -> Iterator[BackgroundWork]:
    work = BackgroundWork(60, {("quarto", "mine"): "os:abort", ("set", "late"): "slow:20"})
    yield work
    work.end()


@contextmanager
def closing_all(processes: ProcessPool) -> Iterator[None]:
    try:
        yield
    finally:
        processes.end()


def test_programs_give_a_move_or_their_fault(thinking: BackgroundWork) -> None:
    async def plan(name: str) -> object:
        rules = QuartoRules()
        view = rules.view(rules.start(Random(0)), 0)
        return await thinking.plan(rules, name, 0, (), view, Random(1))

    planned = asyncio.run(plan("random"))
    assert planned is not None
    with pytest.raises(InputError, match="os:abort"):
        asyncio.run(plan("mine"))

    async def late() -> float:
        rules = SetRules()
        view = rules.view(rules.start(Random(0)), 0)
        made = await thinking.plan(rules, "late", 0, (), view, Random(1))
        assert made is not None
        return made.seconds

    assert asyncio.run(late()) > 0


def test_counts_have_limits(thinking: BackgroundWork) -> None:
    assert asyncio.run(thinking.count(divmod, 7, 2)) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(thinking.count(divmod, 7, 0))
    with pytest.raises(InputError, match="seconds"):
        asyncio.run(thinking.try_player(SetRules(), "slow:0"))
    with pytest.raises(HttpError, match="the computation ended with status 3"):
        asyncio.run(thinking.count(exits, 3))
    with (
        limited("quaternity.web.background", MEMORY=150 << 20),
        pytest.raises(HttpError, match="the computation took too much memory"),
    ):
        asyncio.run(thinking.count(takes, 200 << 20))
    hurried = BackgroundWork(0.2)
    try:
        with pytest.raises(HttpError, match=r"longer than 0.2 s") as refusal:
            asyncio.run(hurried.count(sleep, 60))
        assert refusal.value.status == 422
    finally:
        hurried.end()


def test_counts_do_not_pile_up(thinking: BackgroundWork) -> None:
    async def many() -> list[Any]:
        jobs = [thinking.count(divmod, 7, 2) for _ in range(MAX_PENDING_COUNTS + 1)]
        return list(await asyncio.gather(*jobs, return_exceptions=True))

    *done, last = asyncio.run(many())
    assert done == [(3, 1)] * MAX_PENDING_COUNTS
    assert isinstance(last, HttpError)
    assert last.status == 429


async def run_for_address(processes: ProcessPool, address: str, *work: Any) -> Any:
    """Run work for an address, and return its result."""
    client_address.set(address)
    return await processes.run(*work)


def test_many_requests_of_one_address_do_not_delay_others() -> None:
    order: list[str] = []
    processes = ProcessPool(1, 60)

    async def run_and_note(address: str) -> None:
        await run_for_address(processes, address, divmod, 7, 2)
        order.append(address)

    async def many() -> None:
        jobs = [asyncio.create_task(run_and_note(address)) for address in "aaaaaaaab"]
        await asyncio.sleep(0)
        for job in jobs[1:3]:
            job.cancel()  # nobody waits for these any more
        await asyncio.gather(*jobs, return_exceptions=True)

    with closing_all(processes):
        for _ in range(2):
            order.clear()
            asyncio.run(many())
            assert "".join(order) == "abaaaaa"
    assert not processes.waiting


@pytest.mark.parametrize("number", [2, 3])
def test_no_address_occupies_all_processes(pipe: Pipe, number: int) -> None:
    """An address with endless work leaves one process to others, and nothing is lost."""
    processes, many = ProcessPool(number, 60), number + 2

    def start(times: int) -> list[asyncio.Task[Any]]:
        return [
            asyncio.create_task(run_for_address(processes, "a", wait_for_letter, pipe.name))
            for _ in range(times)
        ]

    async def both() -> list[Any]:
        endless = start(number - 2)
        await asyncio.sleep(0)
        assert await run_for_address(processes, "a", divmod, 7, 2) == (3, 1)
        endless += start(many - len(endless))
        await asyncio.sleep(0)
        for _ in range(3):
            assert await run_for_address(processes, "b", divmod, 7, 2) == (3, 1)
        assert not any(job.done() for job in endless)
        pipe.tell("x" * many)
        return await asyncio.gather(*endless)

    with closing_all(processes):
        assert asyncio.run(both()) == ["x"] * many
    assert not processes.waiting


def test_a_request_that_waits_too_long_is_refused_and_leaves_nothing_behind(pipe: Pipe) -> None:
    thinking = BackgroundWork(60)

    async def many() -> None:
        first = [asyncio.create_task(thinking.count(wait_for_letter, pipe.name)) for _ in range(3)]
        await asyncio.sleep(0)
        thinking.patience = 0
        with pytest.raises(HttpError, match="try again later") as refusal:
            await thinking.count(divmod, 7, 2)
        assert refusal.value.status == 503
        pipe.tell("xxx")
        assert await asyncio.gather(*first) == ["x"] * 3
        assert await thinking.count(divmod, 7, 2) == (3, 1)

    try:
        asyncio.run(many())
    finally:
        thinking.end()


def test_cheap_counts_do_not_wait_for_costly_ones(pipe: Pipe) -> None:
    """This holds for any number of addresses."""
    thinking, costly = BackgroundWork(60), [kind for kind, work in WORK.items() if work.dear]

    async def endless(address: str, kind: str) -> Any:
        client_address.set(address)
        return await thinking.count(wait_for_letter, pipe.name, kind=kind)

    async def both() -> None:
        jobs = [asyncio.create_task(endless(address, kind)) for address in "abc" for kind in costly]
        await asyncio.sleep(0)
        for kind in ("help", "player", "puzzle"):
            assert await thinking.count(divmod, 7, 2, kind=kind) == (3, 1)
        assert not any(job.done() for job in jobs)
        pipe.tell("x" * len(jobs))
        assert await asyncio.gather(*jobs) == ["x"] * len(jobs)

    try:
        asyncio.run(both())
    finally:
        thinking.end()


def test_counts_of_an_address_are_limited(thinking: BackgroundWork) -> None:
    few = BackgroundWork(60, admission=RateLimits(Limits.of(counts=2)))

    async def counts(address: str) -> list[Any]:
        client_address.set(address)
        jobs = (few.count(divmod, 7, 2) for _ in range(3))
        return await asyncio.gather(*jobs, return_exceptions=True)

    try:
        for address in "ab":
            *done, last = asyncio.run(counts(address))
            assert done == [(3, 1)] * 2
            assert isinstance(last, HttpError)
            assert last.status == 429
    finally:
        few.end()
