"""`situation`: check small situations in files."""

from tests.cli.conftest import Cli
from tests.epistemic.test_situation import THREE


def test_the_command_checks_and_exports_situations(cli: Cli) -> None:
    text = THREE + "say !H0 0/1\ntrue K2 H0 0/0\nask C true\nfalse K2 H0 0/0\n"
    outcome = cli("situation", "-", stdin=text)
    assert outcome.status == 1
    assert (
        outcome.out == "true  K2 H0 0/0\ntrue  C true\ntrue  K2 H0 0/0   the file says otherwise\n"
    )
    assert cli("situation", "-", stdin=THREE + "say H0 0/1\n").status == 1
    assert cli("situation", "-", "--to", "png", stdin=THREE).status == 2
    assert cli("situation", "-", "--to", "svg", "--after", 3, stdin=text).status == 2
    assert cli("situation", "-", stdin=b"\xff").status == 2
    answer = cli("situation", "-", "--json", stdin=THREE + "ask H0 0/0\n").json
    assert answer == {"line": 5, "formula": "H0 0/0", "true": True, "as_said": True}
    assert "VARS 0,1,2" in cli("situation", "-", "--to", "smcdel", stdin=text).out
