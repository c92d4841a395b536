"""Moments: the texts and animations that a page shows when the position of a game changes.

A moment has texts, which the page announces, and scenes. A scene is a list of acts that the page
plays at the same time. The page plays the scenes one after another on the board before the move,
and then shows the board after the move. The script `moments.js` plays the acts without any
knowledge of the games. An act is a list that begins with its kind:

- `["say", SEAT, TEXT, ROW]`: The player says the text in a speech bubble. Row 0 is above row 1.
- `["carry", CARD, FROM, TO]`: A copy of the element `CARD` flies from one element to another.
- `["gather", [CARD, ...], TO]`: Copies of elements fly to another element, and stay there until
  all scenes have been played.
- `["compare", [CARD, ...], [[TEXT, FITS], ...]]`: The elements rise, and texts about them appear.
  `FITS` says whether the text is marked as right or as wrong.
- `["deal", CARD]` and `["light", CARD]`: All matching elements of the board after the move appear,
  or light up, one after another.

`SEAT` is the number of a seat. `CARD`, `FROM` and `TO` are CSS selectors. The first visible element
that matches is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from quaternity.base.sentences import Message, message_data
from quaternity.table.games import registration
from quaternity.web.drawing.words import PageWords, sight_words
from quaternity.web.languages import gettext as _

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView

Act = list[Any]
Scene = list[Act]
Scenes = Mapping[str, Callable[[Mapping[str, Any], PageWords, "TableView"], list[Scene]]]
"""Type of a mapping from a kind of event to the function that animates events of this kind.

Such a function takes the values in the message of an event, the object that writes texts for the
page, and the view of the table. It returns the scenes, which the page plays one after another.
"""


class Moment(NamedTuple):
    """The texts and animations with which a page goes from one position of a game to the next.

    Attributes:
        number: Number of moves before the later position.
        seat: Seat of the player who moved. This player sees the later position before the
            animations, and all others see it after them. None if nobody moved, or if several
            players may move now. Then all see it at the same time.
        texts: Texts that the page announces, in order.
        scenes: Animations that the page plays, in order.
        sound: Name of the sound that the page plays, as in `sound.js`.
    """

    number: int
    seat: int | None
    texts: tuple[str, ...]
    scenes: tuple[Scene, ...]
    sound: str

    @property
    def json(self) -> str:
        """All attributes as JSON text."""
        return json.dumps(self._asdict(), ensure_ascii=False)


def last_moment(sight: TableView) -> Moment:
    """Return the texts and animations with which a page shows the last move at a table.

    If the last log entry took moves back, the only text says how many.
    """
    if sight.taken_back:
        text = _("Moves taken back: {count}.").format(count=sight.taken_back)
        return Moment(sight.number, None, (text,), (), "event")
    if not sight.moves:
        return Moment(sight.number, None, (), (), "event")
    step, words = sight.moves[-1], sight_words(sight)
    drawn, scenes = registration(sight.game).part("scenes") or {}, list[Scene]()
    for event in step.events:
        draw = drawn.get(event.kind.name) if isinstance(event, Message) else None
        scenes += draw(message_data(event), words, sight) if draw else []
    texts = tuple(map(words.say, step.events))
    seat = step.seat if len(sight.to_act) < 2 else None
    return Moment(sight.number, seat, texts, tuple(scenes), _sound(scenes, step.events))


def _sound(scenes: list[Scene], events: tuple[str, ...]) -> str:
    if any(act[0] in ("gather", "light") for scene in scenes for act in scene):
        return "set"
    about = [message_data(event) for event in events]
    answers = {str(data["answer"]) for data in about if data.get("answer") is not None}
    wrong = any(data.get("right") is False for data in about)
    return "yes" if "yes" in answers else "no" if answers or wrong else "event"
