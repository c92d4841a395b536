"""Layout of help pages for terminals of 60 columns or more, without breaking words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import typer
from typer.core import TyperGroup

from quaternity.cli.completion import add_completion

_WORD = r"(?:'[^']*'|\S)+"
_TOGETHER = re.compile(rf"-\S+(?: (?!-){_WORD})?|{_WORD}")
"""Pattern of the parts of a command that must stay on one line: an option with its value, or a
single word."""


class HelpPage(typer.Context.formatter_class):  # type: ignore[valid-type,misc]
    """Formatter that writes the paragraphs and lists of terms of a help page."""

    def write_text(self, text: str) -> None:
        """Write paragraphs. A long command in an example is broken so that users can paste it."""
        indent = " " * self.current_indent
        self.write("\n\n".join(self._paragraph(s, indent) for s in text.split("\n\n")) + "\n")

    def _paragraph(self, text: str, indent: str) -> str:
        text = text.removeprefix("\b\n")
        if not text.startswith("Example"):
            return "\n".join(_lines(text, self.width, indent))
        title, _, commands = text.partition(":")
        lines = [indent + title + ":"]
        for command in commands.strip().splitlines():
            lines += _break_command(command.strip(), self.width, indent + "  ")
        return "\n".join(lines)

    def write_dl(
        self, rows: Sequence[tuple[str, str]], col_max: int = 26, col_spacing: int = 2
    ) -> None:
        """Write terms with their definitions. The definition of a long term is below the term."""
        # Typer adds the type of an argument to its name, as in "FILE <str>".
        rows = [(w if w[:1] == "-" else w.partition(" <")[0], text) for w, text in rows]
        widths = [len(word) for word, _ in rows]
        margin = max((width for width in widths if width <= col_max), default=col_max) + col_spacing
        indent = " " * (self.current_indent + margin)
        for word, meaning in rows:
            head = " " * self.current_indent + word
            lines = list(_lines(meaning, self.width, indent)) or [""]
            if len(word) > col_max:
                self.write(head + "\n")
            else:
                lines[0] = head.ljust(len(indent)) + lines[0][len(indent) :]
            self.write("\n".join(line.rstrip() for line in lines) + "\n")


class HelpGroup(TyperGroup):
    """A group of commands whose help pages are formatted by `HelpPage`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command with this name, or None if there is none."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.context_class = HelpContext
            add_completion(command, self.name)
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its full summary."""
        for title, rows in self.sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl([*rows.items()])

    def sections(self, ctx: Any) -> dict[str, dict[str, str]]:
        """Return the summary of each command by name, in a single section "Commands"."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        summaries = {
            name: command.get_short_help_str(1000)
            for name, command in commands.items()
            if not command.hidden
        }
        return {"Commands": summaries}


class HelpContext(typer.Context):
    """Command-line context with `HelpPage` as the formatter of help pages."""

    formatter_class = HelpPage


HelpGroup.context_class = HelpContext


def _lines(text: str, width: int, indent: str) -> list[str]:
    return wrap(
        text, width, initial_indent=indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _break_command(command: str, width: int, indent: str) -> Iterator[str]:
    """Break a command into lines that fit the width. All lines but the last end in a backslash."""
    line = indent
    for word in _TOGETHER.findall(command):
        if line.strip() and len(line) + len(word) + 2 > width:
            yield line + "\\"
            line = indent + "    "
        line += word + " "
    yield line.rstrip()
