"""A third evaluator: the definitions, word for word, over the brute-force list of deals."""

from quaternity.epistemic.formula import (
    And,
    Announcement,
    Common,
    Constant,
    Distributed,
    Formula,
    Holds,
    Iff,
    Implies,
    Knows,
    Not,
    Or,
    Publicly,
    Unknown,
)
from solvers import Deal, DealProblem
from solvers.brute_force import deals

Worlds = list[Deal]


def holds_by_definition(formula: Formula, problem: DealProblem, deal: Deal) -> bool:
    """Return the truth of a formula at a deal of a tiny problem."""
    return _holds(formula, list(deals(problem)), deal, problem.players)


def _holds(formula: Formula, worlds: Worlds, deal: Deal, players: int) -> bool:
    def at(part: Formula, world: Deal = deal) -> bool:
        return _holds(part, worlds, world, players)

    def alike(world: Deal, other: Deal, group: tuple[int, ...]) -> bool:
        return all(world.hand(player) == other.hand(player) for player in group)

    match formula:
        case Constant(value):
            return value
        case Holds(player, card):
            return tuple(card) in deal.hand(player)
        case Not(part):
            return not at(part)
        case And(parts):
            return all(at(part) for part in parts)
        case Or(parts):
            return any(at(part) for part in parts)
        case Implies(premise, conclusion):
            return at(conclusion) if at(premise) else True
        case Iff(first, second):
            return at(first) == at(second)
        case Knows(player, part):
            return all(at(part, world) for world in worlds if alike(deal, world, (player,)))
        case Distributed(group, part):
            return all(at(part, world) for world in worlds if alike(deal, world, group))
        case Publicly(part):
            return all(at(part, world) for world in worlds)
        case Common(part, among):
            reached = [deal]
            for current in reached:
                reached += [
                    world
                    for world in worlds
                    if world not in reached
                    and any(alike(current, world, (player,)) for player in among or range(players))
                ]
            return all(at(part, world) for world in reached)
        case Announcement(announcement, then):
            if not at(announcement):
                return True
            left = [world for world in worlds if at(announcement, world)]
            return _holds(then, left, deal, players)
        case Unknown(knower, owner, count, at_most):
            secret = [
                card
                for card in deal.hand(owner)
                if not all(
                    card in world.hand(owner) for world in worlds if alike(deal, world, (knower,))
                )
            ]
            return len(secret) <= count if at_most else len(secret) == count
        case _:
            raise TypeError(formula)
