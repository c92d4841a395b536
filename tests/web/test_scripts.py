"""The scripts of the pages: their size, and that none imports itself by a detour."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter

from quaternity.web.rendering import static_files

MAX_LINES = 1800
"""Maximum number of lines of all scripts together."""

IMPORT = re.compile(r'^import (?:.* from )?"\./([\w-]+\.js)";', re.MULTILINE)


def test_scripts_are_short_and_import_each_other_without_a_cycle() -> None:
    scripts = {
        path.rpartition("/")[2]: data.decode()
        for path, data in static_files().items()
        if path.endswith(".js")
    }
    assert sum(text.count("\n") for text in scripts.values()) <= MAX_LINES
    imports = {name: set(IMPORT.findall(text)) for name, text in scripts.items()}
    assert imports["acting.js"]
    assert set().union(*imports.values()) <= {*scripts}
    for name in scripts.keys() - {"table.js"}:
        assert any(f"/{name}" in text for other, text in scripts.items() if other != name), name
    assert len([*TopologicalSorter(imports).static_order()]) == len(scripts)
