"""Exercises of the lessons in the guide: a check for each exercise, and pictures.

The pages `pigeons`, `worlds` and `secret` of the guide are lessons. The name of an exercise
consists of its page and a number.

>>> check("pigeons 2", {0, 3})
Not yet. Players 0 and 3 have 4 places, and only 2 cards must go to them: enough.
>>> bool(check("pigeons 2", {1, 2}))
True
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from quaternity.base.errors import QuaternityError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import lookup
from quaternity.guide import LESSONS
from quaternity.guide.lessons.marks import Graded, not_yet


def check(exercise: str, answer: Any) -> Graded:
    """Check an answer to an exercise. Any object that is not a right answer gets a hint.

    Raises:
        InputError: If there is no such exercise. The message lists the exercises.
    """
    exercises: dict[str, Callable[[Any], Graded]] = {}
    for lesson in LESSONS:
        exercises |= import_module(f"{__name__}.{lesson}").EXERCISES
    judge = lookup(exercises, exercise, "exercise")
    form = (judge.__doc__ or "").strip().removeprefix("Judge ").partition("\n")[0]
    try:
        return judge(answer)
    except QuaternityError as error:
        fault = str(error).partition("\n")[0]
        return not_yet(f"{fault[:1].upper()}{fault[1:]}. The answer must be {form}")
    except Exception:  # an arbitrary object can raise anything
        return not_yet(f"The answer must be {form} This is {quote_value(answer)}.")
