"""`make docs`: a static site of the guide and the reference, with search and checked links.

A page of the guide becomes the docstring of a module, so that pdoc's search finds it together with
the functions. The reference leaves out modules whose extra is not installed.
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
"""Modules that the reference leaves out: commands, which have their own help; modules that need
extras; and former names of modules."""


def main() -> None:
    """Write the site. Print broken links, and exit with status 1 if there are any."""
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
    for link in dead:
        print(link, file=sys.stderr)
    print(f"{folder}/index.html")
    raise SystemExit(1 if dead else 0)


def write_guide(place: Path) -> None:
    """Write the pages as modules of a package `guide`."""
    package = place / "guide"
    package.mkdir()
    pages = guide.pages()
    contents = "\n".join(f"- [{page.title}](guide/{page.name}.html)" for page in pages)
    first = f"# The guide to Quaternity\n\n{contents}\n"
    names = repr([page.name for page in pages])
    (package / "__init__.py").write_text(f"{first!r}\n__all__ = {names}\n", encoding="utf-8")
    for page in pages:
        text = re.sub(r"\]\(([\w-]+)\.md", r"](\1.html", guide.visible_markdown(page.text))
        (package / f"{page.name}.py").write_text(f"{text!r}\n", encoding="utf-8")


def write_site(folder: Path) -> None:
    """Write the site with pdoc."""
    import pdoc

    pdoc.render.configure(docformat="google", search=True, show_source=False)
    names = [
        module.name
        for package in (quaternity, solvers)
        for module in walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.startswith(WITHOUT)
    ]
    pdoc.pdoc("guide", "quaternity", "solvers", *names, output_directory=folder)


class Links(HTMLParser):
    """The link targets of a page, and its own anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag's links and its anchor."""
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.targets.append(value)
            elif key == "id" and value:
                self.anchors.add(value)


def dead_links(folder: Path) -> list[str]:
    """Return a sentence for each broken link of the pages of a folder."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    anchors = {path.resolve(): page.anchors for path, page in pages.items()}
    dead = []
    for path, page in pages.items():
        for target in page.targets:
            url, anchor = urldefrag(unquote(target))
            if ":" in url:
                continue
            file = (path.parent / url).resolve() if url else path.resolve()
            # Do not check anchors of the reference: pdoc leaves out some of named tuples.
            known = anchors.get(file) if "guide" in path.parts else None
            if not file.exists() or (anchor and known and anchor not in known):
                dead.append(f"{path.relative_to(folder)}: {target} leads nowhere")
    return dead


if __name__ == "__main__":
    main()
