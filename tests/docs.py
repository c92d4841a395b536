"""`make docs`: the guide and the reference as one static site, searched by pdoc, links checked.

A page of the guide becomes the docstring of a module, so that the search finds it beside the
functions. What an extra brings is left out of the reference where it is not installed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from pkgutil import walk_packages
from urllib.parse import unquote, urldefrag

import quaternity
import solvers
from quaternity import guide

WITHOUT = (
    "quaternity.cli", "quaternity.__main__", "solvers.rivals", "quaternity.environments",
    "quaternity.analysis", "quaternity.information", "quaternity.strategies",
)  # fmt: skip
"""What the reference leaves out: commands, which say themselves what they do; what needs extras;
and former names of modules."""


def main() -> None:
    """Write the site; exit status 1 and a list when a link leads nowhere."""
    parser = argparse.ArgumentParser(description="Make the site of guide and reference.")
    parser.add_argument("folder", nargs="?", default="site", type=Path)
    folder: Path = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as place:
        write_guide(Path(place))
        sys.path.insert(0, place)
        write_site(folder)
        sys.path.remove(place)
    for path in Path(guide.__file__).parent.glob("*.svg"):
        shutil.copy(path, folder / "guide")
    dead = dead_links(folder)
    for one in dead:
        print(one, file=sys.stderr)
    print(f"{folder}/index.html")
    raise SystemExit(1 if dead else 0)


def write_guide(place: Path) -> None:
    """The pages as modules of a package `guide`."""
    package = place / "guide"
    package.mkdir()
    pages = guide.pages()
    contents = "\n".join(f"- [{one.title}](guide/{one.name}.html)" for one in pages)
    first = f"# The guide to Quaternity\n\n{contents}\n"
    every = repr([one.name for one in pages])
    (package / "__init__.py").write_text(f"{first!r}\n__all__ = {every}\n", encoding="utf-8")
    for one in pages:
        text = re.sub(r"\]\(([\w-]+)\.md", r"](\1.html", guide.shown(one.text))
        (package / f"{one.name}.py").write_text(f"{text!r}\n", encoding="utf-8")


def write_site(folder: Path) -> None:
    """Have pdoc write it."""
    import pdoc

    pdoc.render.configure(docformat="google", search=True, show_source=False)
    names = [
        one.name
        for package in (quaternity, solvers)
        for one in walk_packages(package.__path__, f"{package.__name__}.")
        if not one.name.startswith(WITHOUT)
    ]
    pdoc.pdoc("guide", "quaternity", "solvers", *names, output_directory=folder)


class Links(HTMLParser):
    """The places that a page links to, and those on it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag's links and its name."""
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.targets.append(value)
            elif key == "id" and value:
                self.anchors.add(value)


def dead_links(folder: Path) -> list[str]:
    """The links of the pages of a folder that lead nowhere, a sentence each."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    anchors = {path.resolve(): page.anchors for path, page in pages.items()}
    dead = []
    for path, page in pages.items():
        for target in page.targets:
            where, anchor = urldefrag(unquote(target))
            if ":" in where:
                continue
            there = (path.parent / where).resolve() if where else path.resolve()
            # Anchors within the reference are pdoc's: it leaves some of named tuples out.
            known = anchors.get(there) if "guide" in path.parts else None
            if not there.exists() or (anchor and known and anchor not in known):
                dead.append(f"{path.relative_to(folder)}: {target} leads nowhere")
    return dead


if __name__ == "__main__":
    main()
