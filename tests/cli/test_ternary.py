"""`quaternity set`: its output, and that no input causes a traceback."""

import math
import os
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from quaternity.ternary import (
    Incumbent,
    Playout,
    Rule,
    SetCard,
    most_disjoint,
    partners,
    play_out,
    triples,
)
from tests.cli.conftest import Cli
from tests.sizes import THOROUGH
from tests.ternary.tables import belongs, holds_no_three


@pytest.mark.parametrize(
    "card", ["23", "0212", "three purple striped diamonds", "STRIPED-three-purple-diamond"]
)
def test_show_describes_a_card(cli: Cli, card: str) -> None:
    outcome = cli("set", "show", card, "--json")
    assert outcome.status == 0
    assert outcome.err == ""
    assert outcome.json == {
        "index": 23, "ternary": "0212", "digits": [0, 2, 1, 2], "shape": "diamond",
        "colour": "purple", "fill": "striped", "amount": 3,
        "words": "three purple striped diamonds",
    }  # fmt: skip
    assert cli("set", "show", card).out == "23  0212  three purple striped diamonds\n"


def test_partners_of_a_card_are_listed(cli: Cli) -> None:
    shown = cli("set", "partners", "0212", "--json").json
    assert shown["card"] == 23
    assert shown["partners"] == list(partners(23))
    assert len(shown["triples"]) == 8
    assert all(belongs(three, Rule.TRIPLE) and 23 in three for three in shown["triples"])
    text = cli("set", "partners", "0212").out
    assert all(str(SetCard(partner)) in text for partner in partners(23))


@pytest.mark.parametrize("rule", Rule)
def test_find_lists_all_triples(cli: Cli, rule: Rule) -> None:
    table = [0, 1, 2, 40, 80, 3, 77]
    outcome = cli("set", "find", *table, "--rule", rule, "--json")
    assert outcome.status == 0
    assert outcome.json == {
        "rule": rule, "triples": [list(three) for three in triples(table, rule)]
    }  # fmt: skip
    text = cli("set", "find", *table, "--rule", rule).out
    assert text.count(rule.three) == len(triples(table, rule))
    assert cli("set", "find", "0", "1", "3", "-r", rule).out == f"no {rule.three}\n"
    empty = cli("set", "find", "0", "1", "3", "-r", rule, "--json").json
    assert empty == {"rule": rule, "triples": []}


def test_find_draws_the_table(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "table.svg"
    plain = cli("set", "find", 0, 1, 2, 40, 80)
    assert cli("set", "find", 0, 1, 2, 40, 80, "--svg", path) == plain
    assert path.read_text().count("<g ") == 5
    assert "0, 40, 80" in path.read_text()


def test_find_accepts_cards_in_any_form(cli: Cli) -> None:
    document = cli("set", "find", "0000", "40", "three purple solid squiggles", "--json").json
    assert document == {"rule": "set", "triples": [[0, 40, 80]]}


@pytest.mark.parametrize("method", ["search", "cp-sat"])
def test_disjoint_triples_are_listed(cli: Cli, method: str) -> None:
    table = [0, 1, 2, 40, 80, 3, 77]
    shown = cli("set", "disjoint", *table, "-r", "set", "--method", method, "--json").json
    assert shown["rule"] == "set"
    assert shown["method"] == method
    assert len(shown["triples"]) == len(most_disjoint(table, Rule.SET)) == 2
    assert cli("set", "disjoint", *table, "-r", "set", "--method", method).out.count("SET") == 2


@pytest.mark.parametrize(
    ("n", "rule", "free"),
    [(12, "triple", 39_478_773_647_088), (12, "set", 2_284_535_476_080), (3, "triple", 85_104),
     (3, "set", 84_240), (21, "set", 0), (1, "set", 81), (81, "set", 0), (81, "triple", 0),
     (54, "triple", 12), (24, "triple", 761_513_899_062_582_099)],
)  # fmt: skip
def test_tables_without_a_triple_are_counted(cli: Cli, n: int, rule: str, free: int) -> None:
    outcome = cli("set", "count", "-n", n, "--rule", rule, "--json")
    assert outcome.status == 0
    tables = math.comb(81, n)
    assert outcome.json == {
        "n": n, "rule": rule, "free": free, "tables": tables, "probability": free / tables,
    }  # fmt: skip
    assert f"{free:,} of {tables:,} tables" in cli("set", "count", "-n", n, "-r", rule).out


@pytest.mark.parametrize(("rule", "size"), [("triple", 54), ("set", 20)])
@pytest.mark.parametrize("method", ["search", "cp-sat"])
def test_the_largest_part_of_the_deck_is_found(cli: Cli, rule: str, size: int, method: str) -> None:
    outcome = cli("set", "largest", "--rule", rule, "--method", method, "--json")
    assert outcome.status == 0
    assert outcome.json["size"] == len(outcome.json["cards"]) == size
    assert holds_no_three(tuple(outcome.json["cards"]), Rule(rule))
    assert len(outcome.json["reasons"]) > 1
    if rule == "triple" or THOROUGH:
        text = cli("set", "largest", "--rule", rule, "--method", method).out
        assert f"{size} of 81 cards" in text
        assert "\n- " in text


def test_the_largest_part_of_a_table_is_found(cli: Cli) -> None:
    outcome = cli("set", "largest", 0, 1, 2, 40, 80, "--rule", "set", "--json")
    assert outcome.json["size"] == 4
    assert outcome.json["reasons"] == []
    assert cli("set", "largest", 7, "--json").json["cards"] == [7]
    assert "4 of 5 cards without a SET" in cli("set", "largest", 0, 1, 2, 40, 80, "-r", "set").out


@pytest.mark.parametrize("rule", Rule)
def test_a_safe_deck_consists_of_triples(cli: Cli, rule: Rule) -> None:
    shown = cli("set", "deck", "--safe", "--rule", rule, "--seed", 7, "--json").json
    assert (shown["rule"], shown["safe"], shown["seed"]) == (rule, True, 7)
    deck = shown["deck"]
    assert sorted(deck) == list(range(81))
    assert all(belongs(deck[start : start + 3], rule) for start in range(0, 81, 3))
    assert cli("set", "deck", "--safe", "-r", rule, "--seed", 7, "--json").json == shown
    text = cli("set", "deck", "--safe", "-r", rule, "--seed", 7).out.splitlines()
    assert "seed 7" in text[0]
    assert [int(card) for line in text[1:] for card in line.split()] == deck


def test_a_random_seed_reproduces_its_deck(cli: Cli) -> None:
    shown = cli("set", "deck", "--json").json
    assert shown["safe"] is False
    assert cli("set", "deck", "--seed", shown["seed"], "--json").json == shown
    assert cli("set", "deck", "--json").json != shown


def test_games_are_simulated(cli: Cli) -> None:
    arguments = ("set", "simulate", "--games", 40, "--rule", "set", "--seed", 1)
    real = cli(*arguments, "--extra", "--json").json
    assert (real["games"], real["seed"], real["stuck"]) == (40, 1, 0)
    assert sum(real["left"].values()) == 40
    assert set(real["left"]) <= {"0", "6", "9", "12", "15", "18"}
    assert 0 < real["without_three"] < real["tables_of_12"]
    assert cli(*arguments, "--extra", "--json").json == real
    safe = cli(*arguments, "--safe", "--json").json
    assert safe["stuck"] == 0
    text = cli("set", "simulate", "--games", 40, "-r", "triple", "--seed", 1)
    assert text.out.startswith("40 games, seed 1\nstuck before the deck was empty: ")
    assert text.err == ""
    stuck = cli("set", "simulate", "--games", 40, "-r", "triple", "--seed", 1, "--json").json
    assert stuck["stuck"] > 20
    assert stuck["stuck"] + sum(stuck["left"].values()) == 40


def test_a_chain_links_triples(cli: Cli) -> None:
    arguments = ("set", "chain", "--length", 5, "--start", "0212", "--seed", 1)
    shown = cli(*arguments, "--json").json
    links = shown["triples"]
    assert len(links) == 5
    assert links[0][0] == 23
    assert all(before[2] == after[0] for before, after in pairwise(links))
    assert len(cli(*arguments).out.splitlines()) == 6


@pytest.mark.parametrize("kind", ["circle", "matrix"])
def test_a_picture_of_all_pairs_is_drawn(cli: Cli, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "pairs.svg"
    outcome = cli("set", "picture", path, "--kind", kind, "--json")
    assert outcome.status == 0
    assert outcome.json == {"file": str(path), "kind": kind, "pairs": 648}
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert os.listdir(tmp_path) == ["pairs.svg"]
    assert cli("set", "picture", path).status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "81"], "0..80"),
        (["show", "0312"], "the digit 3 (colour) is not 0..2; a card is an index 0..80, four"),
        (["show", "circle"], "shape: diamond, oval, squiggle"),
        (["show", ""], "a card is an index"),
        (["show"], "CARD"),
        (["show", "5", "6"], "unexpected"),
        (["partners", "81"], "0..80"),
        (["partners", "-1"], "-1"),
        (["find"], "CARD"),
        (["find", "5"], "the table must have at least 3 cards, not 1"),
        (["find", "5", "6"], "the table must have at least 3 cards, not 2"),
        (["find", "5", "6", "81"], "81"),
        (["find", "5", "6", "0012"], "table[2]: card 5 is already on the table (table[0])"),
        (["find", "5", "6", "7", "--rule", "both"], "unknown rule 'both': choose from triple, set"),
        (["disjoint", "5", "5", "5"], "already on the table"),
        (["disjoint", "1", "2", "3", "--method", "guess"], "unknown method 'guess'"),
        (["largest", "3", "3"], "already on the table"),
        (["largest", "0312"], "0..80"),
        (["largest", "--method", "guess"], "unknown method 'guess'; choose from search, cp-sat"),
        (["largest", "--rule", "pair"], "unknown rule 'pair'"),
        (["count", "-n", "0"], "1..81"),
        (["count", "-n", "82"], "1..81"),
        (["count", "-n", "-1"], "1..81"),
        (["count", "-n", "82", "--rule", "set"], "1..81"),
        (["count", "-n", "twelve"], "-n"),
        (["count", "-n", "9" * 5000], "-n"),
        (["deck", "--safe", "--seed", "x"], "--seed"),
        (["deck", "--rule", "x"], "unknown rule 'x'"),
        (["simulate", "--games", "0"], "--games"),
        (["simulate", "--rule", "x"], "unknown rule 'x'"),
        (["chain", "--length", "0"], "--length"),
        (["chain", "--start", "81"], "0..80"),
        (["picture"], "FILE"),
        (["picture", "{tmp}/none/x.svg"], "x.svg: cannot be written"),
        (["picture", "{tmp}"], "cannot be written"),
        (["picture", ""], "cannot be written"),
        (["picture", "{tmp}/x.svg", "--kind", "square"], "unknown picture 'square'"),
        (["guess"], "guess"),
    ],
)
def test_bad_input_is_refused(cli: Cli, tmp_path: Path, arguments: list[str], words: str) -> None:
    typed = [argument.replace("{tmp}", str(tmp_path)) for argument in arguments]
    outcome = cli("set", *typed, "--json")
    assert outcome.status == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "command",
    ["show", "partners", "find", "disjoint", "count", "largest", "deck", "simulate", "chain",
     "picture"],
)  # fmt: skip
def test_the_help_of_every_command_has_an_example(cli: Cli, command: str) -> None:
    outcome = cli("set", command, "--help")
    assert outcome.status == 0
    assert f"quaternity set {command}" in outcome.out.split("Example:")[1]
    assert command in cli("set", "--help").out


HARD = [str(card) for card in Random(1).sample(range(81), 60)]


@pytest.mark.parametrize("method", ["search", "cp-sat"])
@pytest.mark.parametrize("command", ["largest", "disjoint"])
def test_at_a_limit_the_best_solution_and_the_bound_are_printed(
    cli: Cli, command: str, method: str
) -> None:
    """The time is too short for anything except the first solutions."""
    ended = cli(
        "set", command, *HARD, "--rule", "set", "--method", method, "--seconds", 1e-6, "--json"
    )
    assert ended.status == 4
    answer = ended.json
    assert not answer["proved"]
    best = answer["cards"] if command == "largest" else answer["triples"]
    assert 10 <= len(best) < answer["bound"] <= 20
    assert f"best found: {len(best)}, upper bound: {answer['bound']}" in ended.err
    cards = best if command == "largest" else [card for three in best for card in three]
    assert set(cards) <= set(map(int, HARD))
    assert holds_no_three(cards, Rule.SET) == (command == "largest")
    plain = cli("set", command, *HARD, "-r", "set", "--method", method, "--seconds", 1e-6)
    assert plain.status == 4
    assert ("and at most 20 are possible:" in plain.out) == (command == "largest")


def test_without_a_limit_the_bound_is_the_best_solution(cli: Cli) -> None:
    for method in ("search", "cp-sat"):
        for seed in ((), ("--seed", 1), ("--seed", 2)):
            options = ("--rule", "set", "--method", method, "--json", *seed)
            largest = cli("set", "largest", *HARD[:24], *options).json
            assert largest["proved"]
            assert largest["bound"] == largest["size"] == 15
            disjoint = cli("set", "disjoint", *HARD[:24], *options).json
            assert disjoint["proved"]
            assert disjoint["bound"] == len(disjoint["triples"]) == 7


def test_the_bound_for_the_deck_at_a_limit_is_printed(cli: Cli) -> None:
    for rule, minimum, bound in (("set", 9, 54), ("triple", 20, 81)):
        ended = cli("set", "largest", "--rule", rule, "--seconds", 1e-6, "--json")
        assert ended.status == 4
        assert ended.json["size"] >= minimum
        assert ended.json["bound"] == bound
        assert "time ran out before the proof for all 81 cards" in ended.err


def test_an_interrupted_simulation_shows_the_finished_games(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cli("set", "simulate", "-g", 5, "--rule", "set", "--seed", 1, "--json").json
    games = count()

    def interrupt(*arguments: Any, **options: Any) -> Playout:
        if next(games) == 5:
            raise KeyboardInterrupt
        return play_out(*arguments, **options)

    monkeypatch.setattr("quaternity.cli.ternary_play.play_out", interrupt)
    ended = cli("set", "simulate", "-g", 100, "--rule", "set", "--seed", 1, "--json")
    assert ended.status == 130
    reason = "interrupted after 5 of 100 games"
    assert ended.json == {**whole, "asked": 100, "reason": reason}
    assert reason in ended.err
    late = cli("set", "simulate", "-g", 10**9, "--seed", 1, "--seconds", 0.05)
    assert late.status == 4
    assert "time ran out after" in late.err


def test_an_interrupted_search_gives_the_best_solution(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Incumbent[int], steps: int, most: int) -> None:
        if steps == 200:
            raise KeyboardInterrupt

    monkeypatch.setattr(Incumbent, "limit", interrupt)
    ended = cli("set", "largest", *HARD, "--rule", "set", "--json")
    assert ended.status == 130
    assert ended.json["size"] >= 15
    assert ended.json["bound"] == 20
    assert holds_no_three(ended.json["cards"], Rule.SET)


def test_small_chances_are_not_shown_as_zero(cli: Cli) -> None:
    assert cli("set", "count", "-n", 54, "-r", "triple").out.endswith("have no triple: 5.2e-19%\n")
    assert cli("set", "count", "-n", 18, "--rule", "set").out.endswith("have no SET: 0.0000014%\n")
    assert cli("set", "count", "-n", 55, "-r", "triple").out.endswith("have no triple: 0.0000%\n")


def test_a_simulation_without_a_finished_game_has_a_reason_in_json(cli: Cli) -> None:
    outcome = cli("set", "simulate", "--seconds", 1e-9, "--games", 5, "--json")
    assert outcome.status == 4
    assert (outcome.json["games"], outcome.json["asked"], outcome.json["left"]) == (0, 5, {})
    assert outcome.json["reason"] == "time ran out after 0 of 5 games"
    assert cli("set", "simulate", "--seconds", 1e-9, "--games", 5).out == ""


@pytest.mark.parametrize(
    "command",
    ["find 0 1 2", "disjoint 0 1 2", "largest 0 1 2 40 80", "count", "deck --safe --seed 1",
     "simulate --games 9 --seed 1", "chain --seed 1"],
)  # fmt: skip
def test_the_rule_of_the_game_is_the_default(cli: Cli, command: str) -> None:
    words = ("set", *command.split())
    assert cli(*words) == cli(*words, "--rule", "set") != cli(*words, "--rule", "triple")
