"""Certificates of solved games: written ones are right, and wrong ones are refused."""

import ast
import copy
import io
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import InputError, LimitError
from quaternity.game.question import Answer
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect import certificate
from quaternity.perfect.certificate import CheckResult, InvalidCertificate, check
from quaternity.perfect.forcing import ForcedWinSearch
from quaternity.perfect.solving.certifying import write_certificate, write_forcing_certificate
from quaternity.perfect.solving.max_n import WISHES, solve_max_n
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.solving.state_value import NEVER
from solvers.problem import DealProblem, SetConstraint
from tests.perfect.positions import from_hands, random_states
from tests.sizes import thorough

# One set of two cards; a player who asks for the other card gets it.
BY_HAND = [
    {
        "certificate": certificate.FORMAT, "set_size": 2, "sets": 1, "players": 2,
        "tie_break": "first-in-order", "brisk": False, "start": 0, "states": 2,
        "player": None, "wish": None,
    },
    [0, [1, 1], [0, 0], [[[3, 3], [1, 1]]], [1, None], [[1, [0, 1]]], None],
    [None, [0, 0], [1, 0], [], [0, None], [], None],
]  # fmt: skip

GAMES = [
    State.start(Settings(*sizes, tie_break=tie_break, brisk=brisk))
    for sizes, tie_break, brisk in [
        ((2, 3, 3), TieBreak.FIRST_IN_ORDER, False),
        ((3, 2, 3), TieBreak.FIRST_IN_ORDER, True),
        ((4, 2, 2), TieBreak.FIRST_IN_ORDER, False),
        ((2, 4, 4), TieBreak.MIN_SETS, True),
        ((2, 4, 4), TieBreak.MIN_SETS, False),
        *thorough(
            [],
            [
                ((3, 3, 3), TieBreak.FIRST_IN_ORDER, False),
                ((2, 4, 4), TieBreak.FIRST_IN_ORDER, False),
                ((2, 5, 5), TieBreak.MIN_SETS, False),
            ],
        ),
    ]
]


def check_lines(lines: list[Any]) -> CheckResult:
    return check([json.dumps(line).encode() + b"\n" for line in lines])


def write_lines(state: State, folder: Path, wish: str | None = None) -> list[Any]:
    path = folder / "certificate"
    write_certificate(path, solve(state), state, wish)
    return lines_of(path)


def write_answer(state: State, player: int, folder: Path) -> tuple[bool, list[Any]]:
    """Return whether a player can force a win, and the certificate of the answer."""
    forcing, path = ForcedWinSearch(state, player), folder / "answer"
    can_force = forcing.search()
    assert can_force is not None
    write_forcing_certificate(path, forcing, 600)
    return can_force, lines_of(path)


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_checker_shares_nothing_with_the_rest() -> None:
    tree = ast.parse(Path(certificate.__file__).read_bytes())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
             for node in imports}  # fmt: skip
    assert {str(name).split(".")[0] for name in names} <= sys.stdlib_module_names
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    documented = {line for text in texts for line in range(text.lineno, (text.end_lineno or 0) + 1)
            if isinstance(text, ast.Constant)}  # fmt: skip
    lines = Path(certificate.__file__).read_text().splitlines()
    assert sum(bool(line.strip()) for n, line in enumerate(lines, 1) if n not in documented) <= 314


def test_a_certificate_made_by_hand() -> None:
    shown = check_lines(BY_HAND)
    assert (shown.ranks, shown.from_start, shown.checked, shown.moves) == ((1, None), True, 2, 1)


@pytest.mark.parametrize(
    ("line", "place", "value", "fault"),
    [
        (0, "set_size", 1, "line 1: expected a whole number from 2"),
        (0, "brisk", 0, "line 1: brisk"),
        (0, "states", 3, "line 1: the number of states is 3"),
        (0, "players", 8, "line 1: expected a whole number from 2 to 7, not 8"),
        (1, 4, [2, None, None], "line 2: expected one rank per player, and each"),
        (1, 4, [None, None], "line 2: player 0 has rank null, but the next states imply 1"),
        (1, 4, [0, None], "line 2: player 0 has rank 0, but the next states imply 1"),
        (1, 4, [1, 1], "line 2: player 1 has rank 1, but the next states imply null"),
        (1, 5, [], "line 2: player 0 has rank 1, but the next states imply null"),
        (1, 5, [[2, [0, 1]]], "line 2: expected a whole number from 0 to 1, not 2"),
        (1, 5, [[1, [0, 0]]], "line 2: expected one rank per player, and each"),
        (1, 3, [[[3, 3, 3], [1, 1]]], "line 2: expected a list of 2"),
        (1, 3, 7, "line 2: "),
        (1, 6, [[1, 0]], "line 2: outcomes must be null if the wish is null"),
        (0, "player", 2, "line 1: expected a whole number from 0 to 1, not 2"),
        (0, "wish", "all", "line 1: wish: must be null, points or win"),
        (0, "wish", "win", "line 2: outcomes must be null if the wish is null"),
        (2, 4, [None, 0], "line 2: player 0 has rank 1, but the next states imply null"),
        (2, 0, 0.0, "line 3: expected a whole number"),
    ],
)  # fmt: skip
def test_a_wrong_certificate_is_refused_with_its_line(
    line: int, place: Any, value: Any, fault: str
) -> None:
    lines = copy.deepcopy(BY_HAND)
    lines[line][place] = value  # type: ignore[index]
    with pytest.raises(InvalidCertificate, match=fault):
        check_lines(lines)


@pytest.mark.parametrize("text", [b"", b"\n", b"[]", b"{", b"\xff", b"[" * 100_000, b"nan"])
def test_other_data_is_not_a_certificate(text: bytes) -> None:
    with pytest.raises(InvalidCertificate, match=r"line 1: (expected|must be) "):
        check(io.BytesIO(text))
    head = json.dumps(BY_HAND[0]).encode() + b"\n"
    with pytest.raises(InvalidCertificate, match=r"line [12]: "):
        check(io.BytesIO(head + text))


@pytest.mark.parametrize("state", GAMES, ids=repr)
def test_a_solved_game_is_certified(state: State, tmp_path: Path) -> None:
    """The checker's own rules give the same legal questions, states and forced wins."""
    solution = solve(state)
    path = tmp_path / "certificate"
    write_certificate(path, solution, state)
    with path.open("rb") as lines:
        shown = check(lines)
    standing = solution.standing(state)
    assert shown.from_start
    assert shown.ranks == tuple(standing.document()["forced_length"])
    assert shown.states == shown.checked == len(solution.graph)
    ranks = [json.loads(line)[4] for line in path.read_text().splitlines()[1:]]
    lengths = [sorted(row) for row in solution.values.length.tolist()]
    assert [sorted(NEVER if n is None else n for n in row) for row in ranks] == lengths


def test_later_states_and_uneven_starts_are_certified(tmp_path: Path) -> None:
    start = State.start(Settings(2, 4, 4, tie_break=TieBreak.MIN_SETS))
    states = [*random_states(start, Random(2), 15)][thorough(12, 1) :]
    for state in [*states, from_hands(3, 2, (1, 4, 1))]:
        lengths = solve(state).standing(state).document()["forced_length"]
        assert check_lines(write_lines(state, tmp_path)).ranks == tuple(lengths)


@pytest.mark.parametrize("state", [GAMES[1], GAMES[2]], ids=repr)
@pytest.mark.parametrize("wish", WISHES)
def test_outcomes_are_certified(state: State, wish: str, tmp_path: Path) -> None:
    """Exactly the outcomes that are possible without chance are certified."""
    lines = write_lines(state, tmp_path, wish)
    right = frozenset(solve_max_n(solve(state), wish).of(state))
    assert check_lines(lines).outcomes == right
    random, start = Random(1), lines[0]["start"] + 1
    for number in {
        start,
        *random.sample(range(1, len(lines)), min(len(lines) - 1, thorough(4, 12))),
    }:
        outcomes = lines[number][6]
        more = [0] * (state.players - 1) + [3]
        for others in ([*outcomes, more], outcomes[1:]):
            lines[number][6] = others
            with pytest.raises(InvalidCertificate):
                check_lines(lines)
        lines[number][6] = outcomes
    endless = [lines[0] | {"brisk": False, "players": 3}, *lines[1:]]
    with pytest.raises(
        InvalidCertificate, match="line 1: wish: must be null, because this game need not end"
    ):
        check_lines(endless)


ASKED = [
    State.start(Settings(2, 3, 3)),
    State.start(Settings(3, 3, 3, brisk=True)),
    State.start(Settings(4, 3, 3)),
    *thorough([], [State.start(Settings(4, 4, 4)), State.start(Settings(3, 4, 2))]),
]


@pytest.mark.parametrize("start", ASKED, ids=repr)
def test_an_answer_about_one_player_is_certified(start: State, tmp_path: Path) -> None:
    """This includes later states with forced wins; the region is closed for this player alone."""
    forced = 0
    is_small = start.set_size < 4
    count = thorough(4 if is_small else 1, 20)
    for state in [start, *random_states(start, Random(7), count)]:
        for player in range(state.players) if state.turn is not None else ():
            can_force, lines = write_answer(state, player, tmp_path)
            shown = check_lines(lines)
            assert (shown.ranks[player] is not None) == can_force
            forced += can_force
            if can_force and is_small:
                length = solve(state).standing(state).document()["forced_length"][player]
                assert shown.ranks[player] >= length
            wrong = copy.deepcopy(lines)
            wrong[1][4][player] = None if can_force else 5
            with pytest.raises(InvalidCertificate):
                check_lines(wrong)
    assert forced or not is_small


def test_a_region_for_one_player_claims_nothing_of_others(tmp_path: Path) -> None:
    """Nor is the claim valid for other players under other names."""
    _, lines = write_answer(State.start(Settings(4, 3, 3)), 1, tmp_path)
    for player in (0, None):
        with pytest.raises(InvalidCertificate):
            check_lines([lines[0] | {"player": player}, *lines[1:]])
    turned = [lines[0], [*lines[1][:5], [[lines[1][5][0][0], [1, 0, 2]]], None], *lines[2:]]
    with pytest.raises(
        InvalidCertificate,
        match="names must not renumber player 1, who is named in line 1",
    ):
        check_lines(turned)


def test_no_answer_is_certified_if_the_tie_break_is_a_draw(tmp_path: Path) -> None:
    state = State.start(Settings(2, 4, 4, tie_break=TieBreak.MIN_SETS))
    with pytest.raises(InputError, match="needs the tie-break first-in-order"):
        write_answer(state, 0, tmp_path)
    forcing = ForcedWinSearch(GAMES[0], 0)
    forcing.search()
    with pytest.raises(LimitError, match="not complete after 0 seconds"):
        write_forcing_certificate(tmp_path / "late", forcing, 0)
    assert not (tmp_path / "late").exists()


def test_a_sample_states_its_confidence(tmp_path: Path) -> None:
    lines = write_lines(State.start(Settings(3, 2, 3)), tmp_path)
    data = [json.dumps(line).encode() for line in lines]
    steps: list[tuple[int, int]] = []
    shown = check(data, sample=30, report=lambda done, total: steps.append((done, total)))
    assert shown.checked in (30, 31)
    assert steps == [(done, shown.checked) for done in range(1, shown.checked + 1)]
    assert shown.states == 91
    # The sample meets `most_wrong` wrong states with a chance of at least 99.9 percent. The start
    # is not drawn at random.
    for drawn in (1, 2, 30):
        assert (1 - check(data, sample=drawn).most_wrong / 91) ** drawn <= 0.001
    whole = check(data, sample=1000)
    assert (whole.most_wrong, whole.seed) == (0, None)


def truth(line: list[Any], head: dict[str, Any]) -> tuple[int | None, ...] | None:
    """Return the forced lengths of a state by the solver, or None if no game reaches the state."""
    turn, hands, points, sets, *_ = line
    players, size = head["players"], head["set_size"]
    if turn is None or len(sets) + sum(points) != head["sets"]:
        return None
    done = [player for player in range(players) for _ in range(points[player])]
    out = SetConstraint([], [0] * players, [0] * players)
    constraints = [SetConstraint(owners, least, [size] * players) for owners, least in sets]
    state = State(
        DealProblem(hands, [out] * len(done) + constraints), turn, (*done, *[None] * len(sets)),
        size, TieBreak(head["tie_break"]), brisk=head["brisk"],
    )  # fmt: skip
    if not state.verdict():
        return None
    lengths = solve(state).standing(state).document()["forced_length"]
    return tuple(lengths)


def corrupt(lines: list[Any], random: Random) -> list[Any]:
    """Return a certificate in which one part is changed, cut, swapped or repeated."""
    lines = copy.deepcopy(lines)
    line = random.randrange(len(lines))
    kind_of_change = random.randrange(5)
    if kind_of_change == 0 and line:
        del lines[line]
    elif kind_of_change == 1 and line:
        lines.insert(random.randrange(1, len(lines)), lines[line])
    elif kind_of_change == 2 and line:
        other = random.randrange(1, len(lines))
        lines[line], lines[other] = lines[other], lines[line]
    else:
        node: Any = lines[line]
        while True:
            key = random.choice([*node] if isinstance(node, dict) else [*range(len(node))])
            if not isinstance(node[key], list) or not node[key] or random.random() < 0.2:
                break
            node = node[key]
        values = [None, True, "", -1, [], *range(5), 2**40, "fewest-sets", 0.5]
        if isinstance(node[key], int):
            values += [node[key] + 1, node[key] - 1] * 4
        elif isinstance(node[key], list) and node[key]:
            values += [node[key][1:], node[key] + node[key][:1], node[key][::-1]] * 4
        node[key] = random.choice(values)
    return lines


@pytest.mark.parametrize("state", GAMES[: thorough(3, 4)], ids=repr)
def test_a_changed_certificate_is_refused_or_still_true(state: State, tmp_path: Path) -> None:
    assert_refused_or_true(state, thorough(15, 100), 0, tmp_path)


def assert_refused_or_true(state: State, changes: int, seed: int, tmp_path: Path) -> None:
    wish = "win" if state.brisk and state.tie_break is TieBreak.FIRST_IN_ORDER else None
    lines, random = write_lines(state, tmp_path, wish), Random(f"{seed}")
    outcomes = check_lines(lines).outcomes
    refused = 0
    for _ in range(changes):
        other = corrupt(lines, random)
        try:
            shown = check_lines(other)
        except InvalidCertificate:
            refused += 1
            continue
        right = truth(other[other[0]["start"] + 1], other[0])
        if other[0] | {"player": None} != lines[0]:
            shown = shown._replace(outcomes=None)  # another state, or another wish
        if (player := other[0]["player"]) is not None:
            right = right and tuple([
                rank if p != player else length
                for p, (rank, length) in enumerate(zip(shown.ranks, right, strict=True))
            ])  # fmt: skip
        for rank, length in zip(shown.ranks, right or shown.ranks, strict=True):
            assert (rank is None) == (length is None)
            assert rank is None or length is None or rank >= length
        assert shown.outcomes is None or shown.outcomes == outcomes
    assert refused


def test_a_certificate_of_another_game_is_refused(tmp_path: Path) -> None:
    brisk = write_lines(State.start(Settings(3, 2, 3, brisk=True)), tmp_path)
    plain = write_lines(State.start(Settings(3, 2, 3)), tmp_path)
    four = write_lines(State.start(Settings(2, 4, 4)), tmp_path)
    for lines, other in [
        (brisk, {"brisk": False}),
        (plain, {"set_size": 2}),
        (plain, {"players": 4}),
        (plain, {"sets": 3, "start": 0}),
        (four, {"tie_break": "fewest-sets"}),
    ]:
        with pytest.raises(InvalidCertificate):
            check_lines([lines[0] | other, *lines[1:]])
    # Nobody can force a win if hopeless questions are legal, nor can they if these are illegal.
    assert check_lines([plain[0] | {"brisk": True}, *plain[1:]]).ranks == (None, None, None)


def test_a_closed_certificate_without_the_start_is_reported(tmp_path: Path) -> None:
    start = State.start(Settings(3, 2, 3))
    question, _ = next(iter(start.legal_questions.items()))
    shown = check_lines(write_lines(start.after(question, Answer.NO), tmp_path))
    assert not shown.from_start


def test_a_forger_cannot_predict_the_sampled_lines(tmp_path: Path) -> None:
    lines = write_lines(State.start(Settings(3, 2, 3)), tmp_path)
    read = {lines[0]["start"], *Random(0).sample(range(91), 45)}
    for number in {*range(91)} - read:
        lines[number + 1][5] = []
    data = [json.dumps(line).encode() for line in lines]
    assert check(data, 45, seed=0).seed == 0
    for _ in range(5):
        with pytest.raises(InvalidCertificate):
            check(data, 45)
    right = [
        json.dumps(line).encode() for line in write_lines(State.start(Settings(3, 2, 3)), tmp_path)
    ]
    first, second = check(right, 10), check(right, 10)
    assert first.seed != second.seed
    assert check(right, 10, first.seed) == first


@pytest.mark.parametrize(
    ("turn", "hands", "sets", "fault"),
    [
        (0, [4, 0, 0], [[[1, 1], [2, 0, 0]]] * 2, "the rules make it .null, .0, 0, 0., .2, 0, 0."),
        (1, [2, 0, 2], [[[5, 5], [1, 0, 1]]] * 2, "the rules make it .0, .2, 0, 2."),
        (1, [2, 0, 2], [[[2, 2], [0, 0, 0]], [[5, 5], [1, 0, 1]]], "no deal fits it"),
        (1, [1, 1, 2], [[[0, 0], [0, 0, 0]], [[5, 5], [1, 0, 1]]], "no deal fits it"),
        (0, [2, 0, 2], [[[5, 5], [0, 0, 0]], [[5, 5], [1, 0, 1]]], "the rules make it .0"),
        (0, [2, 0, 2], [[[1, 7], [1, 0, 0]], [[5, 5], [1, 0, 1]]], "the rules make it .0"),
        (None, [2, 0, 2], [[[5, 5], [1, 0, 1]]] * 2, "the rules make it .0"),
        (0, [0, 0, 0], [], "the rules make it .null"),
    ],
)
def test_a_state_that_no_game_reaches_is_refused(
    turn: int | None, hands: list[int], sets: list[Any], fault: str
) -> None:
    head = BY_HAND[0] | {"sets": 2, "players": 3, "states": 1}  # type: ignore[operator]
    points = [0, 0, 2 - len(sets)]
    ranks = [None, None, None] if sets else [None, None, 0]
    with pytest.raises(InvalidCertificate, match=f"line 2: no game reaches this state: {fault}"):
        check_lines([head, [turn, hands, points, sets, ranks, [], None]])
