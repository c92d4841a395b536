"""`quaternity` with texts that are 50 % longer in every language except English."""

from __future__ import annotations

import re
import sys

from quaternity.cli.app import run
from quaternity.web import languages
from tests.web.seeded_program import seed_processes


class Longer(dict[str, str]):
    """A catalogue in which words are 50 % longer."""

    def get(self, text: str, otherwise: object = None) -> str:
        """Return a text with longer words; placeholders stay as they are."""
        del otherwise
        return re.sub(r"(?<![{%(\w])[A-Za-z]{4,}(?![})\w])", _longer, text)


def _longer(match: re.Match[str]) -> str:
    word = match[0]
    return word + word[: (len(word) + 1) // 2].lower()


if __name__ == "__main__":
    seed_processes()
    vars(languages)["catalogue"] = lambda language: Longer(x="x")
    sys.exit(run(sys.argv[1:]))
