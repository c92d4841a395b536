"""Export of small games to Gambit's file format for extensive-form games (`.efg`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from quaternity.environments.episode import TableGame
from quaternity.environments.game_tree import CHANCE, OVER, GameTree
from quaternity.table.setting_fields import settings_of

MAX_EXPORTED_MOMENTS = 200_000
"""Maximum number of nodes in the tree of an exported game. Such a file has about 15 MB."""


def efg_text(game: TableGame) -> str:
    """Return a game in Gambit's `.efg` format.

    The label of an information set is the text of what the player has seen (`Episode.memory_text`).
    Raise `LimitError` if the tree of the game has more than `MAX_EXPORTED_MOMENTS` nodes.
    """
    tree = GameTree(game, MAX_EXPORTED_MOMENTS)
    players = " ".join(_quote(f"player {seat}") for seat in range(game.seats))
    name = " ".join([game.name, *(f"{k}={v}" for k, v in settings_of(game.rules).items())])
    lines = [f"EFG 2 R {_quote(name)} {{ {players} }}", '""', ""]
    return "\n".join([*lines, *_nodes(tree)]) + "\n"


def _nodes(tree: GameTree) -> Iterator[str]:
    children: list[list[int]] = [[] for _ in range(len(tree))]
    for moment, parent in enumerate(tree.parent[1:].tolist(), 1):
        children[parent].append(moment)
    number_of: dict[int, int] = {}
    counts = [0] * tree.game.seats
    for place, known in enumerate(tree.information_sets):
        counts[known.player] += 1
        number_of[place] = counts[known.player]
    waiting, chances, ends = [0], 0, 0
    while waiting:
        moment = waiting.pop()
        waiting += reversed(children[moment])
        player = int(tree.player[moment])
        if player == OVER:
            ends += 1
            gains = ", ".join(map(_exact, tree.returns[moment].tolist()))
            yield f't "" {ends} "" {{ {gains} }}'
        elif player == CHANCE:
            chances += 1
            drawn = " ".join(
                f"{_quote(str(int(tree.action[child])))} {_exact(float(tree.chance[child]))}"
                for child in children[moment]
            )
            yield f'c "" {chances} "" {{ {drawn} }} 0'
        else:
            place = int(tree.information_set[moment])
            known = tree.information_sets[place]
            actions = " ".join(map(_quote, _moves(tree, place)))
            yield (
                f'p "" {player + 1} {number_of[place]} {_quote(known.memory_text)} '
                f"{{ {actions} }} 0"
            )


def _moves(tree: GameTree, place: int) -> Sequence[str]:
    known, game = tree.information_sets[place], tree.game
    moves = [game.encoded.move(action, known.moment.view) for action in known.actions]
    return ["wait" if move is None else str(game.rules.write(move)) for move in moves]


def _exact(number: float) -> str:
    return str(Fraction(number).limit_denominator(1_000_000))


def _quote(text: str) -> str:
    """Return a quoted label. Gambit allows only printable ASCII without consecutive spaces."""
    words = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{words.encode("ascii", "replace").decode()}"'
