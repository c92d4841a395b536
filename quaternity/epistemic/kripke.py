"""Drawings of Kripke models of situations. Similar deals are drawn as one world.

Deals that differ only in irrelevant cards, and in which each player considers the same worlds
possible, become one world of the drawing (bisimulation). By default, only the cards that the
formulas name are relevant. The deals are divided into worlds by partition refinement (Kanellakis
and Smolka, 1983).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, dist, pi, sin
from typing import NamedTuple

from quaternity.base.errors import LimitError
from quaternity.base.svg import svg_document, svg_text
from quaternity.base.text_format import with_noun
from quaternity.epistemic import formula as logic
from quaternity.epistemic.explicit_evaluator import ExplicitEvaluator
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.situation import Situation
from quaternity.game.cards import Card
from solvers.problem import iter_cards
from solvers.verdict import Deal

MAX_DEALS = 20_000
"""Maximum number of deals of a situation that can be turned into a Kripke model."""
MAX_DRAWN = 60
"""Maximum number of worlds (possible deals) in a drawing."""


class World(NamedTuple):
    """Deals that are drawn as one world, because no relevant formula distinguishes them.

    `hands[player]` contains the cards that the player holds in all of these deals. `real` is True
    if the real deal is one of them.
    """

    deals: tuple[Deal, ...]
    hands: tuple[tuple[Card, ...], ...]
    real: bool


class KripkeModel(NamedTuple):
    """A Kripke model whose worlds are sets of similar deals. The real world comes first.

    `links` maps each pair of worlds, the lower number first, to the players who cannot distinguish
    them. The link of every world to itself is omitted.
    """

    worlds: tuple[World, ...]
    links: dict[tuple[int, int], tuple[int, ...]]


def kripke_model(
    situation: Situation, announcements: Sequence[Formula] | None = None, every: bool = False
) -> KripkeModel:
    """Return the Kripke model of a situation after announcements. Similar deals become one world.

    By default, all announcements of the situation are made. Only the cards that the formulas name
    are relevant, or all cards if `every` is true. Raise LimitError if there are more than
    `MAX_DEALS` deals.
    """
    earlier = situation.announcements if announcements is None else tuple(announcements)
    evaluator = ExplicitEvaluator(situation.problem)
    if evaluator.model.worlds > MAX_DEALS:
        raise LimitError(
            f"there are {evaluator.model.worlds} deals: at most {MAX_DEALS} are allowed"
        )
    among = evaluator.restrict_to(tuple(earlier))
    deals = [evaluator.model.deal(number) for number in among.nonzero()[0].tolist()]
    matters = {Card(index, number) for index, number, _ in iter_cards(situation.problem)}
    if not every:
        formulas = [*earlier, *(x.formula for x in situation.queries)]
        matters = _named_cards(formulas, situation) or matters
    players = range(situation.problem.players)
    hands = [[deal.hand(player) for deal in deals] for player in players]
    groups = _groups([a.formula for a in situation.queries])
    classes = [
        [tuple(hands[player][number] for player in group) for number in range(len(deals))]
        for group in (*((player,) for player in players), *groups)
    ]
    block = _number_names(
        [tuple(deal.owner[c.set_index][c.number] for c in sorted(matters)) for deal in deals]
    )
    while True:
        seen: list[tuple[object, ...]] = [(b,) for b in block]
        for part in classes:
            reached: dict[object, set[int]] = {}
            for number, name in enumerate(part):
                reached.setdefault(name, set()).add(block[number])
            seen = [
                (*signature, frozenset(reached[name]))
                for signature, name in zip(seen, part, strict=True)
            ]
        finer = _number_names(seen)
        if len(set(finer)) == len(set(block)):
            break
        block = finer
    return _contract(situation, deals, block, hands)


def _named_cards(formulas: Iterable[Formula], situation: Situation) -> set[Card]:
    cards: set[Card] = set()
    for formula in formulas:
        for subformula in formula.subformulas():
            if isinstance(subformula, logic.Holds):
                cards.add(subformula.card)
            elif isinstance(subformula, logic.Unknown):
                return {Card(index, number) for index, number, _ in iter_cards(situation.problem)}
    return {c for c in cards if c.number < situation.problem.sets[c.set_index].size}


def _groups(formulas: Iterable[Formula]) -> set[tuple[int, ...]]:
    return {
        subformula.players
        for formula in formulas
        for subformula in formula.subformulas()
        if isinstance(subformula, logic.Distributed)
    }


def _number_names(names: Sequence[object]) -> list[int]:
    numbers: dict[object, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]


def _contract(
    situation: Situation,
    deals: Sequence[Deal],
    block: Sequence[int],
    hands: Sequence[Sequence[object]],
) -> KripkeModel:
    real = block[deals.index(situation.deal)] if situation.deal in deals else None
    order = sorted(set(block), key=lambda name: (name != real, name))
    worlds = []
    for name in order:
        members = tuple(deal for deal, member in zip(deals, block, strict=True) if member == name)
        common = tuple(
            tuple(
                Card(*card)
                for card in members[0].hand(player)
                if all(card in deal.hand(player) for deal in members)
            )
            for player in range(situation.problem.players)
        )
        worlds.append(World(members, common, name == real))
    place = {name: number for number, name in enumerate(order)}
    links: dict[tuple[int, int], set[int]] = {}
    for player, player_hands in enumerate(hands):
        together: dict[object, set[int]] = {}
        for hand, member in zip(player_hands, block, strict=True):
            together.setdefault(hand, set()).add(place[member])
        for blocks in together.values():
            for a in blocks:
                for b in blocks:
                    if a < b:
                        links.setdefault((a, b), set()).add(player)
    return KripkeModel(
        tuple(worlds), {pair: tuple(sorted(blind)) for pair, blind in sorted(links.items())}
    )


def _label(world: World) -> list[str]:
    lines = []
    size = len(world.deals[0].owner)
    for player, cards in enumerate(world.hands):
        names = [str(card.number) if size == 1 else str(card) for card in cards]
        ending = "" if len(cards) == len(world.deals[0].hand(player)) else " …"
        lines.append(f"{player}: {' '.join(names)}{ending}".rstrip())
    if len(world.deals) > 1:
        lines.append(f"({with_noun(len(world.deals), 'deal')})")
    return lines


def model_dot(model: KripkeModel) -> str:
    """Return a model in the DOT language of Graphviz. The real world has a double border."""
    lines = ["graph situation {", "  node [shape=box, fontname=Helvetica];"]
    for number, world in enumerate(model.worlds):
        label = "\\n".join(_label(world))
        border = ", peripheries=2" * world.real
        lines.append(f'  w{number} [label="{label}"{border}];')
    for (a, b), players in model.links.items():
        lines.append(f'  w{a} -- w{b} [label="{",".join(map(str, players))}"];')
    return "\n".join([*lines, "}", ""])


def model_svg(model: KripkeModel, title: str) -> str:
    """Return an SVG drawing of a model. The worlds form a circle, with the real world at the top.

    Raise LimitError if there are more than `MAX_DRAWN` worlds.
    """
    number = len(model.worlds)
    if number > MAX_DRAWN:
        raise LimitError(
            f"there are {number} worlds: at most {MAX_DRAWN} can be drawn; "
            "the DOT format has no limit"
        )
    labels = [_label(world) for world in model.worlds]
    wide = 16 + 8.0 * max((len(line) for label in labels for line in label), default=1)
    tall = 12 + 16.0 * max(map(len, labels), default=1)
    radius = 0 if number < 2 else max(wide, tall, number * (wide + 24) / (2 * pi)) + 60
    size_x, size_y = 2 * radius + wide + 40, 2 * radius + tall + 40
    places = [
        (
            size_x / 2 + radius * sin(2 * pi * index / max(1, number)),
            size_y / 2 - radius * cos(2 * pi * index / max(1, number)),
        )
        for index in range(number)
    ]
    parts = []
    for (a, b), players in model.links.items():
        (x, y), (u, v) = places[a], places[b]
        parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="#888"/>')
        # Lines often cross in the middle, so put the label nearer to one end, unless a world would
        # cover it there.
        covered = min((wide / 2 + 4) / (abs(u - x) or 1), (tall / 2 + 4) / (abs(v - y) or 1))
        share = 0.38 if covered + 12 / dist((x, y), (u, v)) < 0.38 else 0.5
        at_x, at_y = x + share * (u - x), y + share * (v - y)
        parts.append(f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="10" fill="#fff"/>')
        text = ",".join(map(str, players))
        parts.append(
            svg_text(round(at_x, 1), round(at_y, 1), text, size=12, colour="#555", centred=True)
        )
    for world, label, (x, y) in zip(model.worlds, labels, places, strict=True):
        x0, top = x - wide / 2, y - tall / 2
        for edge in (4, 0) if world.real else (0,):
            where = f'x="{x0 - edge:.1f}" y="{top - edge:.1f}" width="{wide + 2 * edge:.1f}"'
            shape = f'height="{tall + 2 * edge:.1f}" rx="4" fill="#fff" stroke="#333"'
            parts.append(f"<rect {where} {shape}/>")
        for row, line in enumerate(label):
            at = round(top + 20 + 16 * row, 1)
            parts.append(
                svg_text(round(x0 + 8, 1), at, line, size=13, colour="#222", anchor="start")
            )
    description = (
        f"{with_noun(number, 'world')}; each line connects worlds that the players named on it "
        "cannot distinguish"
    )
    return svg_document(round(size_x), round(size_y), title, description, parts, "#fff")
