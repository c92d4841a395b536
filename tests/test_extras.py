"""The extras of `pyproject.toml`: those that texts name exist, and each optional import has one."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from quaternity.base.errors import InputError
from solvers.rivals.table import EXTERNAL_SOLVERS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

MODULES = {
    "exact": "exact",
    "open-spiel": "pyspiel",
    "pycryptosat": "pycryptosat",
    "python-sat": "pysat",
    "pumpkin-solver": "pumpkin_solver",
    "z3-solver": "z3",
    "prometheus-client": "prometheus_client",
}
"""Import names of distributions, if the two names differ."""

REQUIRED_BY_OTHERS = {
    "rich": {"markdown_it"},
    "typer": {"click"},
    "jinja2": {"markupsafe"},
    "pettingzoo": {"gymnasium"},
}
"""Modules that our code imports, and that another distribution requires."""

FOLDERS = {
    "quaternity/web/postgres": "postgres",
    "quaternity/web/": "web",
    "quaternity/table/tournament/picture.py": "plot",
    "quaternity/trials/comparison/drawing.py": "plot",
}
"""Extras whose absence is reported before code under a path is imported. The longest path counts.
Other files report the absence themselves."""

NAMED = re.compile(
    r"'(?:\.|quaternity)\[([a-z0-9,]+)\]'|\bextra `([a-z0-9]+)`|\bneeds_extra\(.*?, \"(.+?)\"\)"
)


def modules(requirements: list[str]) -> set[str]:
    """Return the modules that requirements install."""
    names: set[str] = set()
    for requirement in requirements:
        name, extras = re.findall(r"^([\w-]+)(?:\[([\w,]+)\])?", requirement)[0]
        if name == "quaternity":
            names |= modules([other for extra in extras.split(",") for other in EXTRAS[extra]])
        names |= {MODULES.get(name, name)} | REQUIRED_BY_OTHERS.get(name, set())
    return names


def named_extras(text: str) -> set[str]:
    """Return the extras that a text names."""
    return {extra for names in NAMED.findall(text) for extra in "".join(names).split(",")}


def texts() -> dict[str, str]:
    """Return the README and all texts of the product, by path."""
    paths = [ROOT / "README.md"]
    for folder in ("quaternity", "solvers"):
        paths += [
            p for p in ROOT.joinpath(folder).rglob("*") if p.suffix in (".py", ".md", ".html")
        ]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


TEXTS = texts()
CORE = sys.stdlib_module_names | modules(PROJECT["dependencies"]) | {"quaternity", "solvers"}


IMPORT = re.compile(
    r"^ *(?:from|import) (\w+)[\w.]*(?: import .*| as \w+)?(?: *#.*)?$", re.MULTILINE
)


def optional_imports(text: str) -> set[str]:
    """Return the modules that a source text imports, but that are not always installed."""
    return {*IMPORT.findall(text)} - CORE  # to parse all files would take a second


def reported_extras(path: str) -> set[str]:
    """Return the extras that a message names if an import in a file fails."""
    rivals = {
        rival.extra
        for rival in EXTERNAL_SOLVERS.values()
        if path == f"solvers/rivals/{rival.adapter.partition(':')[0]}.py" and rival.extra
    }
    folder = max((start for start in FOLDERS if path.startswith(start)), key=len, default=None)
    return rivals | named_extras(TEXTS[path]) | ({FOLDERS[folder]} if folder else set())


def test_every_named_extra_exists() -> None:
    named = {extra for text in TEXTS.values() for extra in named_extras(text)}
    listed = TEXTS["README.md"].partition("The other parts are")[2].partition(".\n")[0]
    named |= {*re.findall(r"`(\w+)`", listed), *FOLDERS.values()}
    named |= {rival.extra for rival in EXTERNAL_SOLVERS.values() if rival.extra}
    assert {"web", "postgres", "plot", "rivals", "z3", "openspiel"} <= named <= set(EXTRAS)


IMPORTS = {path: optional_imports(text) for path, text in TEXTS.items() if path.endswith(".py")}
REPORTED = {extra for path in IMPORTS for extra in named_extras(TEXTS[path])} | {
    rival.extra for rival in EXTERNAL_SOLVERS.values()
}


@pytest.mark.parametrize("path", [path for path, names in IMPORTS.items() if names])
def test_an_optional_import_belongs_to_the_reported_extra(path: str) -> None:
    extras = reported_extras(path)
    assert IMPORTS[path] <= modules([name for extra in extras for name in EXTRAS[extra]])
    assert extras <= REPORTED


@pytest.mark.parametrize(
    ("module", "name"),
    [("pyspiel", "open_spiel"), ("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium")],
)
def test_a_missing_library_is_reported_with_its_extra(
    module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = f"quaternity.environments.{name}"
    monkeypatch.delitem(sys.modules, adapter, raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    (extra,) = reported_extras(f"quaternity/environments/{name}.py")
    with pytest.raises(
        ModuleNotFoundError, match=rf"{module}, .*pip install '\.\[{extra}\]'"
    ) as raised:
        import_module(adapter)
    assert isinstance(raised.value, InputError)
