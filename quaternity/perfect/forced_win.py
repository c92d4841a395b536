"""Search for a forced win of a player, with a check of the result and an example game."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import LimitError
from quaternity.base.progress import Phase, quiet_phase
from quaternity.perfect.forcing import ForcedWinSearch

if TYPE_CHECKING:
    from quaternity.game.question import Move
    from quaternity.game.state import State


@dataclass(frozen=True, slots=True)
class ForcedWin:
    """The result of a search for a forced win, as `answer_forced_win` returns it.

    Attributes:
        can_force: whether the player can force a win.
        states: the number of states that the search visited.
        seconds: the duration of the search, in seconds.
        certificate: the path of the certificate, or None if none was written.
        moves: the moves of an example game.
        again: if the last position repeats an earlier one, the number of moves before the earlier
            position. Otherwise None.
        checked: the number of states that the check of the result visited.
        checked_whole: whether the check was completed within its time limit.
    """

    player: int
    can_force: bool
    states: int
    seconds: float
    certificate: str | None
    moves: tuple[Move, ...]
    again: int | None
    checked: int
    checked_whole: bool

    def document(self) -> dict[str, Any]:
        """Return the result as a dictionary of plain values for JSON."""
        return {
            "ask": f"force:{self.player}",
            "can_force": self.can_force,
            "states": self.states,
            "seconds": self.seconds,
            "certificate": self.certificate,
            "line": list(map(str, self.moves)),
            "again": self.again,
            "checked": self.checked,
            "checked_whole": self.checked_whole,
        }


def answer_forced_win(
    state: State, player: int, seconds: float, certificate: str | None = None,
    phase: Phase = quiet_phase,
) -> ForcedWin:  # fmt: skip
    """Search for a forced win of a player, check the result, and write a certificate file.

    Args:
        seconds: time limit for each of these three steps, in seconds.
        certificate: path of the certificate, or None to write none.

    Raises:
        InputError: If the player is unknown, or the certificate cannot be written.
        LimitError: If the search or the certificate is not finished in time.
    """
    began = time.perf_counter()
    forcing = ForcedWinSearch(state, player)
    answer = forcing.search(seconds)
    if answer is None:
        raise LimitError(
            f"not decided after {seconds:g} seconds and {forcing.states:,} states; "
            "to search longer, use --seconds"
        )
    took = time.perf_counter() - began
    checked, whole = forcing.check(seconds)
    moves, again = forcing.line()
    if certificate is not None:
        from quaternity.perfect.solving.certifying import write_forcing_certificate

        with phase("certificate", None) as report:
            write_forcing_certificate(certificate, forcing, seconds, report)
    return ForcedWin(
        player, answer, forcing.states, took, certificate, tuple(moves), again, checked, whole
    )
