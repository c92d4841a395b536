"""Player of Kwartet that collects the set in which it holds most cards."""

from typing import Any

from quaternity.arena import run


def merit(move: str, view: dict[str, Any]) -> int:
    """Score a move such as "2 asks 0 for 1/3". Higher is better."""
    _, _, asked, _, card = move.split()
    if card in view["hand"]:
        return -1  # a bluff
    index, number = map(int, card.split("/"))
    owners = view["owners"][index][number]
    if int(asked) not in owners:
        return 0
    held: int = sum(own.startswith(f"{index}/") for own in view["hand"])
    return 100 * held + 10 - len(owners)


class Hoarder:
    """The player in one game. Each game creates a new object."""

    name = "Hoarder in Python"
    wants = ("view", "moves")

    def __init__(self, new: dict[str, Any]) -> None:
        """Store the seat, which the message about a new game contains."""
        self.seat = new["seat"]

    def choose(self, asked: dict[str, Any]) -> str:
        """Return the best of the legal moves in a request for a move."""
        moves: list[str] = asked["moves"]
        return max(moves, key=lambda move: merit(move, asked["view"]))


if __name__ == "__main__":
    run(Hoarder)
