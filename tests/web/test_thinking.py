"""Programs and counts in processes of their own, under limits."""

import asyncio
from collections.abc import Iterator
from random import Random
from time import sleep
from typing import Any

import pytest

from quaternity.errors import InputError
from quaternity.quarto.rules import QuartoRules
from quaternity.ternary.rules import SetRules
from quaternity.web.refusal import Refusal
from quaternity.web.thinking import MOST_WAITING, Thinking, asker


@pytest.fixture
def thinking() -> Iterator[Thinking]:
    found = Thinking(0.2, {("quarto", "mine"): "os:abort", ("set", "late"): "slow:20"})
    yield found
    found.end()


def test_programs_give_a_move_or_their_fault(thinking: Thinking) -> None:
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


def test_counts_have_limits(thinking: Thinking) -> None:
    assert asyncio.run(thinking.count(divmod, 7, 2)) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(thinking.count(divmod, 7, 0))
    with pytest.raises(Refusal, match=r"longer than 0.2 s"):
        asyncio.run(thinking.count(sleep, 60))
    with pytest.raises(InputError, match="seconds"):
        asyncio.run(thinking.try_player(SetRules(), "slow:0"))


def test_counts_do_not_pile_up(thinking: Thinking) -> None:
    async def many() -> list[Any]:
        jobs = [thinking.count(divmod, 7, 2) for _ in range(MOST_WAITING + 1)]
        return list(await asyncio.gather(*jobs, return_exceptions=True))

    *done, last = asyncio.run(many())
    assert done == [(3, 1)] * MOST_WAITING
    assert isinstance(last, Refusal)
    assert last.status == 429


def test_who_asks_for_much_does_not_keep_others_waiting(thinking: Thinking) -> None:
    order: list[str] = []

    async def counted(who: str) -> None:
        asker.set(who)
        await thinking.count(divmod, 7, 2)
        order.append(who)

    async def many() -> None:
        jobs = [asyncio.create_task(counted(who)) for who in "aaaaaaaab"]
        await asyncio.sleep(0)
        for job in jobs[1:3]:
            job.cancel()  # nobody waits for these any more
        await asyncio.gather(*jobs, return_exceptions=True)

    for _ in range(2):
        order.clear()
        asyncio.run(many())
        assert "".join(order) == "aabaaaa"
    assert not thinking._counts.waiting
    assert thinking._counts._free == 1
