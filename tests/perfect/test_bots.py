"""Bots play legally and repeatably, and as well as they claim."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.game.question import Question
from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.bots.heuristic import (
    TURN,
    exact_prospects,
    lead,
    many_prospects,
    rough_prospects,
)
from quaternity.perfect.bots.policy import Policy
from quaternity.perfect.bots.search import DEFAULT_GAMES, SearchBot, Tree
from quaternity.perfect.keys.canonical import Rules, canonical, coding
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.tablebase import Tablebase, write_tablebase
from quaternity.table.games import registration
from quaternity.table.match import Match
from quaternity.table.players import make_player
from quaternity.trials.strategies import game_settings, states
from solvers.brute_force import deals
from tests.limits import limited
from tests.perfect.positions import random_states
from tests.sizes import examples, thorough
from tests.table.planted import make_bot

START_SETTINGS = Settings(3, 3, 3)
START = State.start(START_SETTINGS)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a tablebase of 3-3-3."""
    path = tmp_path_factory.mktemp("bots") / "3-3-3.tablebase"
    write_tablebase(path, solve(START))
    return path


@settings(max_examples=examples(60))
@given(
    states(game_settings(max_cards=9)).filter(lambda state: not state.is_over),
    st.sampled_from(["random", "informed", "informed:50", "search:4"]),
    st.integers(0, 99),
)
def test_bots_play_legally_and_repeatably(state: State, name: str, seed: int) -> None:
    bot, twin = (make_bot(name, Random(seed)) for _ in range(2))
    question = bot.ask(state)
    assert question in state.legal_questions
    assert twin.ask(state) == question
    for other in list(state.legal_questions)[:4]:
        answer = bot.answer(state, other)
        assert answer in state.answers(other)
        assert twin.answer(state, other) == answer


@limited("quaternity.perfect.bots.policy", MAX_CACHED_QUESTIONS=60)
def test_the_quick_player_keeps_a_bounded_number_of_questions() -> None:
    code = coding(Rules.of(START))
    policy, kept = Policy(code), set[int]()
    for state in random_states(START, Random(5), 60):
        key = canonical(state).key
        assert policy.options(key) == Policy(code).options(key)
        kept.add(sum(len(options) for options in policy._options.values()))
    assert 20 < max(kept) <= 60


def test_tied_winners_share_the_win_of_an_imagined_game() -> None:
    start = State.start(Settings(2, 4, 4))
    policy, ties = Policy(coding(Rules.of(start))), set[int]()
    for state in random_states(start, Random(7), 1500):
        if state.is_over:
            key, roles = canonical(state)
            result = policy.quick_evaluation(key).result
            best = max(state.points)
            first = [player for player, points in enumerate(state.points) if points == best]
            assert result is not None
            shares = [result[roles.index(player)] for player in range(state.players)]
            assert shares == [(player in first) / len(first) for player in range(state.players)]
            ties.add(len(first))
    assert ties == {1, 2, 4}


def test_the_perfect_bot_wins_what_can_be_forced_against_anybody(path: Path) -> None:
    bot, other = make_bot(f"perfect:{path}", Random(1)), make_bot("random", Random(2))
    won = 0
    with Tablebase(path) as tablebase:
        for state in random_states(START, Random(3), 300):
            for player, length in enumerate(tablebase.standing(state).forced_length):
                now, left = state, length
                while left is not None and not now.is_over:
                    question = (bot if now.turn == player else other).ask(now)
                    answer = (bot if question.asked == player else other).answer(now, question)
                    now = now.after(question, answer)
                    assert left > 0
                    left -= 1
                if left is not None:
                    assert now.winner == player
                    won += 1
    assert won > 100


def test_the_perfect_bot_answers_for_itself(path: Path) -> None:
    bot = make_bot(f"perfect:{path}", Random(1))
    decisions = 0
    with Tablebase(path) as tablebase:
        for state in random_states(START, Random(6), 120):
            for question, answers in state.legal_questions.items():
                worth = {
                    answer: tablebase.standing(state.after(question, answer)).worth(question.asked)
                    for answer in answers
                }
                if len(set(worth.values())) == 2:
                    assert bot.answer(state, question) == max(answers, key=worth.__getitem__)
                    decisions += 1
    assert decisions > 50


def test_a_search_ends_when_it_has_weighed_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot's cache has no influence: a resumed game continues as it would have."""
    games = 0
    imagine = Tree.run_playout

    def count_games(*arguments: Any) -> Any:
        nonlocal games
        games += 1
        return imagine(*arguments)

    monkeypatch.setattr(Tree, "run_playout", count_games)
    counts, random = [], Random(1)
    bot = SearchBot(random, 30, 100)
    for _ in range(2):
        random.seed(1)
        counts.append((bot.ask(START), games))
        games = 0
    assert counts[0] == counts[1]
    assert 1 <= counts[0][1] < 30
    SearchBot(Random(1), 30).ask(START)
    assert games == 30


@settings(deadline=None)
@given(states(game_settings(max_cards=9)))
def test_prospects_count_what_is_certain(state: State) -> None:
    code = coding(Rules.of(state))
    key, roles = canonical(state)
    exact, rough = exact_prospects(code, key), rough_prospects(code, key, {})
    for role, player in enumerate(roles):
        for values in (exact, rough):
            assert values[role] >= state.points[player]
            assert lead(values, role) <= state.sets + 1
    if state.is_over:
        assert exact == rough == tuple([state.points[player] for player in roles])
    assert max(lead(exact, role) for role in range(len(roles))) >= 0


def by_player(state: State) -> Sequence[float]:
    """Return the exact prospects of each player."""
    key, roles = canonical(state)
    values = exact_prospects(coding(Rules.of(state)), key)
    return [values[roles.index(player)] for player in range(state.players)]


@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 4, 4)], ids=str)
def test_prospects_follow_from_all_deals(sizes: tuple[int, int, int]) -> None:
    """Exact prospects follow from all deals, rough ones from owners; with and without keys."""
    start = State.start(Settings(*sizes))
    code = coding(Rules.of(start))
    for state in random_states(start, Random(1), thorough(40, 200)):
        listed = [*islice(deals(state.problem), 301)]
        exact, rough = ([float(points) for points in state.points] for _ in range(2))
        if not state.is_over:
            exact[state.turn or 0] += TURN
            rough[state.turn or 0] += TURN
        for index, row in enumerate(state.filtered_problem().sets):
            for player in range(state.players if row.owners else 0):
                held = [deal.owner[index].count(player) for deal in listed]
                exact[player] += (sum(held) / len(listed) / row.size) ** 2
                even = sum(1 / mask.bit_count() for mask in row.owners if mask >> player & 1)
                rough[player] += (max(even, row.low[player]) / row.size) ** 2
        key, roles = canonical(state)
        assert many_prospects(state) == pytest.approx(rough)
        assert rough_prospects(code, key, {}) == pytest.approx([rough[player] for player in roles])
        if len(listed) <= 300:
            assert by_player(state) == pytest.approx(exact)


@pytest.mark.parametrize(
    ("sizes", "kept"), [((3, 3, 3), 3), ((3, 3, 3), 1 << 16), ((2, 5, 5), 99), ((2, 6, 6), 99)]
)
def test_the_informed_bot_asks_and_answers_by_its_prospects(
    sizes: tuple[int, int, int], kept: int
) -> None:
    """Any cache size gives exact prospects up to five players; ties are broken at random."""
    ties = 0
    prospects = by_player if sizes[2] <= 5 else many_prospects
    with limited("quaternity.perfect.bots.informed", MAX_CACHED_STATES=kept):
        bot = make_bot("informed", Random(1), Settings(*sizes))
        start = State.start(Settings(*sizes))
        for state in random_states(start, Random(2), thorough(75 // sizes[2], 100)):
            if state.turn is None or state.is_over:
                continue
            worth: dict[Question, tuple[float, float]] = {}
            for question, answers in state.legal_questions.items():
                after = [tuple(prospects(state.after(question, reply))) for reply in answers]
                theirs = [lead(values, question.asked) for values in after]
                best = [lead(values, state.turn) for values, their in
                        zip(after, theirs, strict=True) if their > max(theirs) - 1e-9]  # fmt: skip
                worth[question] = min(best), max(best)
                answer = bot.answer(state, question)
                assert theirs[[*answers].index(answer)] > max(theirs) - 1e-9
            least = max(low for low, _ in worth.values()) - 1e-6
            asked = {bot.ask(state) for _ in range(6)}
            assert all(worth[question][1] >= least for question in asked)
            if all(low == high for low, high in worth.values()):
                equal = [question for question, (low, _) in worth.items() if low >= least]
                ties += len(asked) > 1
                assert len(asked) > 1 or len(equal) < 5
    assert ties > 3


def test_the_search_bot_keeps_forced_wins_whatever_it_imagines(path: Path) -> None:
    """Its questions and answers keep forced wins, and its answers give no other player one."""
    bot = make_bot("search:1", Random(1))
    asked = answered = kept = 0
    with Tablebase(path) as tablebase:
        for state in random_states(START, Random(5), thorough(150, 600)):
            for question, answers in state.legal_questions.items():
                forced = {
                    answer: tablebase.standing(state.after(question, answer)).can_force
                    for answer in answers
                }
                can_force = forced[bot.answer(state, question)]
                if (question.asked,) in forced.values():
                    assert can_force == (question.asked,)
                    answered += len({*forced.values()}) > 1
                elif () in forced.values():
                    assert can_force == ()
                    kept += len({*forced.values()}) > 1
            if tablebase.standing(state).can_force == (state.turn,) and not state.is_over:
                question = bot.ask(state)
                lengths = [
                    tablebase.standing(state.after(question, answer)).forced_length[question.asker]
                    for answer in state.answers(question)
                ]
                assert None not in lengths
                asked += 1
    assert min(asked, answered, kept) > 5, (asked, answered, kept)


@pytest.mark.parametrize("longest", [1, 60])
def test_a_win_is_shared_out_in_every_imagined_game(longest: int) -> None:
    code = coding(Rules.of(START))
    with limited("quaternity.perfect.bots.search", MAX_PLAYOUT_LENGTH=longest):
        tree = Tree(Policy(code, glance=0), Random(1))
        for state in random_states(START, Random(3), 30):
            result = tree.run_playout(canonical(state).key, (2, 0, 1))
            assert min(result) >= 0
            assert sum(result) == pytest.approx(1)
            if longest == 1 and not state.is_over:
                assert result == pytest.approx((1 / 3,) * 3) or max(result) == 1


DECISIONS = {"informed": "52a2449b44e6", "search:30": "24bb5693a769", "search": "a59a22345d60"}
"""Digests of some questions and answers. A change must state what the program gains."""


@pytest.mark.parametrize("name", DECISIONS)
def test_a_program_plays_as_before(name: str) -> None:
    bot, decisions = make_bot(name, Random(1)), list[str]()
    for state in random_states(START, Random(11), 40 if name == "informed" else 12):
        if not state.is_over:
            question = bot.ask(state)
            decisions.append(f"{question} {bot.answer(state, question).name}")
    assert sha256("\n".join(decisions).encode()).hexdigest()[:12] == DECISIONS[name]


def test_the_policy_lists_the_best_options_first() -> None:
    policy = Policy(coding(Rules.of(START)))
    for state in random_states(START, Random(5), 60):
        options = policy.options(canonical(state).key)
        assert (not options) == state.is_over
        outlooks = [policy.outlook(option.replies[0], 0) for option in options]
        assert outlooks == sorted(outlooks, reverse=True)
        for asked, replies in options:
            outlooks = [policy.outlook(reply, asked) for reply in replies]
            assert outlooks == sorted(outlooks, reverse=True)


def test_imagined_games_end_once_a_win_is_forced(path: Path) -> None:
    """The player to move has won if a proof is found; the cache changes no decision."""
    code = coding(Rules.of(START))
    policy, won, forced = Policy(code), 0, 0
    with Tablebase(path) as tablebase:
        for state in random_states(START, Random(8), 50):
            key, roles = canonical(state)
            look = policy.quick_evaluation(key)
            assert look == Policy(code).quick_evaluation(key)
            if state.is_over:
                assert look.result is not None
                continue
            [*can_force] = tablebase.standing(state).can_force
            forced += can_force == [state.turn]
            if look.result:
                assert look.result == (1.0, 0.0, 0.0)
                assert can_force == [state.turn] == [roles[0]]
                won += 1
            for role, player in enumerate(roles):
                proof = policy.proof(key, role, 1_000)
                assert proof.won == (player in can_force)
                assert (proof.question is not None) == (proof.won and not role)
    assert won > 0.8 * forced > 3


def test_no_forced_win_is_searched_with_many_cards_or_without_a_budget() -> None:
    start = State.start(Settings(4, 13, 4))
    assert Policy(coding(Rules.of(start))).proof(canonical(start).key, 0, 50).weighed == 0
    small = Policy(coding(Rules.of(START)))
    assert small.proof(canonical(START).key, 0, 0).weighed == 0
    assert small.proof(canonical(START).key, 0, 50).weighed > 0


def test_bots_are_found_by_name() -> None:
    assert list(registration("quaternity").players) == ["random", "informed", "search", "perfect"]
    for text, why in (
        ("deep", "choose from you, random, informed, search, perfect"),
        ("random:3", "does not take an argument, such as '3'"),
        ("informed:", "from 0 to 100"),
        ("informed:101", "from 0 to 100"),
        ("informed:half", "from 0 to 100"),
        ("search:", "from 1 to 1000000"),
        ("search:0", "from 1 to 1000000"),
        ("search:1e3", "from 1 to 1000000"),
        ("perfect", "needs a tablebase"),
        ("perfect:", "needs a tablebase"),
        ("perfect:/no/such/file", "no such file"),
    ):
        with pytest.raises(InputError, match=why):
            make_bot(text, Random(0))
    for text in ("random", "informed", "search", "search:1", "search:1000000"):
        assert make_player(QuaternityRules(START_SETTINGS), text).text == text
    usual, asked = (make_bot(text, Random(0)) for text in ("search", "search:7"))
    assert isinstance(usual, SearchBot)
    assert isinstance(asked, SearchBot)
    assert (usual.games, usual.weighed < inf) == (DEFAULT_GAMES, True)
    assert (asked.games, asked.weighed) == (7, inf)


@pytest.mark.parametrize("name", ["informed", "search"])
@pytest.mark.parametrize("players", thorough([8], [8, 12]))
def test_a_program_plays_among_any_number_of_players(name: str, players: int) -> None:
    match = Match(QuaternityRules(Settings(2, players, players)), [name] * players, "1")
    for _ in range(3):
        match.program_move()
    assert len(match.moves) >= 3
