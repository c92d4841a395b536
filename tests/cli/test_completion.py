"""Tab completion, as a shell requests it."""

import pytest

from quaternity.cli.app import run
from quaternity.cli.commands import ENTRIES
from tests.cli.conftest import Cli


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("quaternity comp", ["compare"]),
        ("quaternity compare --solvers max-flow,coal", ["max-flow,coalitions"]),
        ("quaternity check --solver bru", ["brute-force"]),
        ("quaternity compare --families ph", ["php"]),
        ("quaternity export --to fz", ["fzn"]),
        ("quaternity guide ru", ["rules"]),
        ("quaternity play --seats you,inf", ["you,informed"]),
        ("quaternity play --tie-break few", ["fewest-sets"]),
        ("quaternity quarto play --seats you,car", ["you,careful"]),
        ("quaternity quarto tournament random car", ["careful"]),
        ("quaternity kwartet simulate --seats pat", ["patient"]),
        ("quaternity kwartet simulate --announce aft", ["after-own-request"]),
        ("quaternity set play --seats you,qu", ["you,quick"]),
        ("quaternity set find --rule tri", ["triple"]),
    ],
)
def test_names_are_completed(
    typed: str,
    offered: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_QUATERNITY_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert run([]) == 0
    assert capfd.readouterr().out.split() == offered


@pytest.mark.parametrize(
    ("typed", "name"), [("chek", "check"), ("turnament", "tournament"), ("kwartet wach", "watch")]
)
def test_a_mistyped_command_gets_a_suggestion(cli: Cli, typed: str, name: str) -> None:
    """Commands are suggested although they are loaded only when they are called."""
    outcome = cli(*typed.split())
    assert outcome.status == 2
    assert f"No such command {typed.split()[-1]!r}. Did you mean {name!r}?" in outcome.err


def test_examples_have_one_heading(cli: Cli) -> None:
    for name in ENTRIES:
        assert cli(name, "--help").out.count("Example") <= 1, name
