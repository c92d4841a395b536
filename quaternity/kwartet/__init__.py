"""Kwartet, a card game with hidden hands: rules, strategies, and what each seat can know.

>>> from quaternity.kwartet import KwartetGame, KwartetSettings
>>> KwartetGame.start(KwartetSettings(players=3, sets=3), seed=7).turn
0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from quaternity.game.cards import Card as Card
    from quaternity.game.question import Question as Question
    from quaternity.kwartet.game import KwartetGame as KwartetGame
    from quaternity.kwartet.rules import KwartetPosition as KwartetPosition
    from quaternity.kwartet.settings import AnnounceTiming as AnnounceTiming
    from quaternity.kwartet.settings import KwartetSettings as KwartetSettings
    from quaternity.kwartet.view import View as View

if not TYPE_CHECKING:  # A type checker reports unknown names only if it does not see `__getattr__`.
    __all__, __getattr__, __dir__ = lazy_names(
        globals(),
        {
            "quaternity.game.cards": "Card",
            "quaternity.game.question": "Question",
            "quaternity.kwartet.game": "KwartetGame",
            "quaternity.kwartet.rules": "KwartetPosition",
            "quaternity.kwartet.settings": "AnnounceTiming KwartetSettings",
            "quaternity.kwartet.view": "View",
        },
    )
