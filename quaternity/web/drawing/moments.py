"""Drawing of moments. A moment is what a page says and animates when the position changes.

A page announces the texts of a moment, plays its scenes on the board before the move, and then
shows the board after it. The script `moments.js` plays scenes and knows no games. A scene is a list
of acts that are played at the same time. An act is a list with a verb:

- `["say", SEAT, TEXT, ROW]`: a speech bubble of a player, in row 0, or below it in row 1;
- `["carry", CARD, FROM, TO]`: a copy of an element flies from one element to another;
- `["gather", [CARD, ...], TO]`: copies of elements fly to another element, where they stay;
- `["compare", [CARD, ...], [[TEXT, FITS], ...]]`: elements rise, and texts about them light up;
- `["deal", CARD]` and `["light", CARD]`: all matching elements of the board after the move
  arrive, or light up, one after another.

`SEAT` is a number. `CARD`, `FROM` and `TO` are CSS selectors; the first visible match is used.
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
"""Type of the functions that draw the scenes of a game's events, by the kind of the message."""


class Moment(NamedTuple):
    """What a page announces and plays between two positions.

    Attributes:
        number: Number of moves before the position that the moment leads to.
        seat: Seat of the player who moved, or None.
        texts: Announcements, in order.
        scenes: Scenes, in order.
        sound: Name of a sound of `sound.js`.
    """

    number: int
    seat: int | None
    texts: tuple[str, ...]
    scenes: tuple[Scene, ...]
    sound: str

    @property
    def json(self) -> str:
        """This moment as a JSON object."""
        return json.dumps(self._asdict(), ensure_ascii=False)


def last_moment(sight: TableView) -> Moment:
    """Return the moment that leads to the position of a view."""
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
    return Moment(sight.number, step.seat, texts, tuple(scenes), _sound(scenes, step.events))


def _sound(scenes: list[Scene], events: tuple[str, ...]) -> str:
    """Return the name of the sound of a move."""
    if any(act[0] in ("gather", "light") for scene in scenes for act in scene):
        return "set"
    about = [message_data(event) for event in events]
    answers = {str(data["answer"]) for data in about if data.get("answer") is not None}
    wrong = any(data.get("right") is False for data in about)
    return "yes" if "yes" in answers else "no" if answers or wrong else "event"
