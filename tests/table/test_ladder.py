"""The ladder, with tiny numbers."""

import shlex
import sys
from itertools import islice
from pathlib import Path

import pytest

from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.table.tournament.playing import Tournament
from tests.bench import ladder as ladder_of
from tests.bench.ladder import GAMES, Ladder, main, table
from tests.sizes import only_thorough

OTHERS = [f"--games={game}=0" for game in GAMES if game != "set"]


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_of, "CLOCK_GAMES", 2)


def small(players: str = "random silent mixed better-greedy greedy") -> Ladder:
    rules = KwartetRules(KwartetSettings(sets=4))
    return Ladder(Tournament(rules, tuple(players.split()), 3), "")


def test_rounds_have_all_choices_of_players_at_one_deal_and_seats_come_out_even() -> None:
    ladder = small()
    assert ladder.games_a_round == 5
    assert ladder.plan.games_a_deal == 120
    numbers = [ladder.number(game) for game in range(120)]
    line_ups = [ladder.plan.line_up(number) for number in numbers]
    for first in range(0, 120, 5):
        assert {ladder.plan.deal_of(one) for one in numbers[first : first + 5]} == {first // 5}
        assert len({frozenset(one) for one in line_ups[first : first + 5]}) == 5
    assert len(set(line_ups)) == 120
    for player in range(5):
        assert [sum(one[seat] == player for one in line_ups) for seat in range(4)] == [24] * 4


@pytest.mark.parametrize("cut_off", ["", '{"rules": "Kwar'])
def test_an_ended_run_goes_on_where_it_was(tmp_path: Path, cut_off: str) -> None:
    whole, ended = tmp_path / "whole", tmp_path / "ended"
    results = [*small().play(whole, 10)]
    assert [*islice(small().play(ended, 10), 4)] == results[:4]
    kept = ended.read_text()
    ended.write_text(kept + cut_off)
    assert [*small("random mixed").play(ended, 2)]  # another ladder does not mix with it
    assert [*small().play(ended, 10)] == results
    assert small().read_games(ended) == results
    assert ended.read_text().startswith(kept)
    assert Ladder(small().plan, "other code").read_games(ended) == []


def test_the_strongest_is_first(tmp_path: Path) -> None:
    ladder = small("random exact")
    lines = table(ladder, [*ladder.play(tmp_path / "kept", 96)])
    assert lines[2].startswith("| 1 | `exact` | 1")
    assert lines[3].startswith("| 2 | `random` | 1")
    assert " ± " not in lines[2], "of two rounds"
    assert lines[-1] == "96 games in 2 rounds, seed 3."


HOSTILE = Path(__file__).parent / "hostile.py"


@pytest.mark.parametrize(
    "own",
    [
        "quaternity.ternary.players:quick",
        pytest.param(f"cmd:{sys.executable} -I -S {HOSTILE} moves_folder", marks=only_thorough),
    ],
)
def test_an_own_player_gets_into_the_table_and_other_tables_stay(own: str, tmp_path: Path) -> None:
    page, kept = tmp_path / "page.md", tmp_path / "kept"
    page.write_text(
        "# A\n\n<!-- ladder set -->\nthe last one\n<!-- end -->\n\n<!-- ladder quarto -->\n"
    )
    options = [*OTHERS, f"--with=set={own}", f"--kept={kept}", f"--page={page}"]
    main([*options, "--games=set=1"])
    text = page.read_text()
    assert f"| `{own}` |" in text
    assert "| `quick` |" in text
    assert "6 games in 1 round, seed 2026" in text  # three pairs, both ways round
    assert shlex.join([f"--with=set={own}"]) in text
    assert "the last one" not in text
    assert text.endswith("<!-- ladder quarto -->\n")
    assert len(kept.read_text().splitlines()) == 6


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--with=chess=me"], "'chess=me' is not GAME=VALUE"),
        (["--with=set=nobody"], "'nobody' is unknown; choose from slow"),
        (["--with=set=tests.table.nowhere:me"], "tests.table.nowhere"),
        (["--games=set=-1"], "'-1' is not a number of games"),
    ],
)
def test_bad_options_are_refused(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([*OTHERS, *options])
    assert left.value.code == 2
    assert said in capsys.readouterr().err


def test_a_player_that_fails_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, own = tmp_path / "page.md", "tests.table.misbehaving:Fails"
    with pytest.raises(SystemExit) as left:
        main([*OTHERS, f"--with=set={own}", f"--kept={tmp_path / 'kept'}", f"--page={page}"])
    assert left.value.code == 3
    assert own in capsys.readouterr().err
