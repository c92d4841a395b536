"""Values of small games: two methods agree, and names change nothing."""

from __future__ import annotations

import io
import runpy
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import guide
from quaternity.base.errors import InputError, LimitError
from quaternity.environments import gambit
from quaternity.environments.episode import TableGame, benchmarks
from quaternity.environments.equilibria import linear_program_value
from quaternity.environments.gambit import efg_text
from quaternity.environments.game_tree import CHANCE, OVER, GameTree
from tests.cli.test_guide import blocks
from tests.sizes import examples, thorough

OPEN = "kwartet(players=2,sets=2,own_card_requests=false,reward=lead,max_moves=2)"
TINIEST = (
    "kwartet(players=2,sets=3,set_size=2,aside=2,own_card_requests=false,reward=lead,max_moves=2)"
)
PAIRS = TINIEST.replace("max_moves=2", "max_moves=4")
THREE = "quaternity(set_size=2,sets=3,players=3,brisk=true,max_moves=6)"
SMALL = ["kwartet_tiny", OPEN, THREE]
VALUES = {OPEN: 34 / 35, TINIEST: 2 / 5, PAIRS: 8 / 15, "kwartet_tiny": 1 / 5}
"""The return of player 0, computed by OpenSpiel's CFR+."""


def tree_of(text: str, known: dict[str, GameTree] = {}) -> GameTree:  # noqa: B006  # a memo
    if text not in known:
        known[text] = GameTree(TableGame.of_text(text))
    return known[text]


@pytest.mark.parametrize("text", SMALL)
def test_a_tree_has_every_moment_once(text: str) -> None:
    tree = tree_of(text)
    assert (np.diff(tree.parent) >= 0).all()
    assert np.bincount(tree.parent[1:], tree.chance[1:], len(tree))[tree.player == CHANCE] == (
        pytest.approx(1)
    )
    for infoset in tree.information_sets:
        assert infoset.memory_text == infoset.moment.memory_text(infoset.player)
        assert [i for i, legal in enumerate(infoset.moment.mask) if legal] == [*infoset.actions]
    inner = tree.player >= 0
    sizes = np.array([len(infoset.actions) for infoset in tree.information_sets])
    assert (
        np.bincount(tree.parent[1:], minlength=len(tree))[inner]
        == sizes[tree.information_set[inner]]
    ).all()


@pytest.mark.parametrize("text", VALUES)
def test_a_linear_program_computes_the_value(text: str) -> None:
    assert linear_program_value(tree_of(text)) == pytest.approx(VALUES[text], abs=1e-9)


@pytest.mark.parametrize("text", thorough([OPEN, TINIEST], [*VALUES]))
def test_openspiels_cfr_plus_computes_the_same_value(text: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    import quaternity.environments.open_spiel

    assert quaternity.environments.open_spiel.UNLIMITED_LENGTH, "importing it registers the games"
    name = f"python_{text}" if "(" in text else text
    game = pyspiel.convert_to_cached_tree(pyspiel.load_game(name.replace("=false", "=False")))
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    lost = pyspiel.nash_conv(game, policy)
    assert lost < 5e-5
    first = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)[0]
    assert abs(first - linear_program_value(tree_of(text))) <= lost + 1e-9


def test_the_program_in_the_guide_prints_what_the_page_says(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    (block,) = (b for b in blocks(guide.page("learning").text) if "CFRPlusSolver" in b.text)
    (tmp_path / "program.py").write_text(block.text, encoding="utf-8")
    with redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(tmp_path / "program.py"))
    assert block.text.endswith(f"  # {out.getvalue()}")


def test_other_names_of_cards_change_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values do not depend on names of cards: the root is the mean over all deals."""
    program = linear_program_value(tree_of("kwartet_tiny"))
    game = TableGame.benchmark("kwartet_tiny")
    cards = [3 * (1 - card // 3) + (card + card // 3) % 3 for card in range(6)]
    dealt = game.encoded.initial_position
    monkeypatch.setattr(
        game.encoded,
        "initial_position",
        lambda drawn: dealt([drawn[cards[card]] for card in range(6)]),
    )
    assert linear_program_value(GameTree(game)) == pytest.approx(program, abs=1e-9)


@pytest.mark.parametrize("name", benchmarks())
def test_benchmarks_have_names_everywhere(name: str) -> None:
    table = TableGame.benchmark(name)
    assert TableGame.of_text(name).rules == table.rules
    pyspiel = pytest.importorskip("pyspiel")
    import quaternity.environments.open_spiel

    assert quaternity.environments.open_spiel.UNLIMITED_LENGTH
    game = pyspiel.load_game(name)
    assert game.table.rules == table.rules
    assert game.max_game_length() == table.max_moves
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert str(pyspiel.load_game(str(game))) == str(game)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_large_trees_and_unknown_games_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitError, match="more than 500 nodes"):
        GameTree(TableGame("quarto"), 500)
    monkeypatch.setattr(gambit, "MAX_EXPORTED_MOMENTS", 900)
    with pytest.raises(LimitError, match="more than 900 nodes"):
        efg_text(TableGame.benchmark("kwartet_tiny"))
    with pytest.raises(InputError, match="zero-sum games of two"):
        linear_program_value(tree_of(THREE))
    for text, words in (
        ("kwartet_huge", "kwartet_huge"),
        ("kwartet(players=2", "expected a name"),
        ("kwartet(colour=2)", "unknown setting 'colour'"),
        ("kwartet(players=x)", "players"),
    ):
        with pytest.raises(InputError, match=words):
            TableGame.of_text(text)
    with pytest.raises(InputError, match=r"unknown benchmark 'chess'; choose from .*kwartet_tiny"):
        TableGame.benchmark("chess")


# ------------------------------------------------------------------------ Gambit


def read_back(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()[3:]]


@pytest.mark.parametrize("text", SMALL)
def test_a_file_of_gambit_has_every_moment(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tree_of(text)
    monkeypatch.setattr(gambit, "GameTree", lambda game, most: tree)
    kinds = [words[0] for words in read_back(efg_text(tree.game))]
    for kind, number in (
        ("t", (tree.player == OVER).sum()),
        ("c", (tree.player == CHANCE).sum()),
        ("p", (tree.player >= 0).sum()),
    ):
        assert kinds.count(kind) == number
    assert len(kinds) == len(tree)


@pytest.mark.parametrize("text", thorough([TINIEST], [TINIEST, PAIRS]))
def test_gambit_finds_the_same_equilibria(text: str) -> None:
    pygambit: Any = pytest.importorskip("pygambit")
    tree = tree_of(text)
    game = pygambit.read_efg(io.StringIO(efg_text(tree.game)))
    assert len(list(game.infosets)) == len(tree.information_sets)
    (equilibrium,) = pygambit.nash.lp_solve(game, rational=False).equilibria
    payoff = float(equilibrium.payoff("player 0"))
    assert payoff == pytest.approx(linear_program_value(tree), abs=1e-6)


@given(st.integers(2, 4), st.integers(2, 4), st.booleans(), st.integers(0, 1 << 32))
@settings(max_examples=examples(60), deadline=None)
def test_player_0_of_two_gets_all_sets_and_a_warning_is_issued(
    size: int, sets: int, brisk: bool, seed: int
) -> None:
    game_settings = {"set_size": size, "sets": 2 * sets, "players": 2, "brisk": brisk}
    with pytest.warns(UserWarning, match="player 0 gets all sets"):
        game = TableGame("quaternity", game_settings)
    random = Random(seed)
    episode = game.episode(random)
    while episode.seat is not None:
        legal = [action for action, is_legal in enumerate(episode.mask) if is_legal]
        episode = episode.after(random.choice(legal))
    assert list(game.rules.points(episode.position)) == [2 * sets, 0]
