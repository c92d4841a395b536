"""Registration of Kwartet with the commands, the browser, tournaments and environments."""

from quaternity.table.registration import Benchmark, GameLength, Level, Registration, StarterGame

_STUDENTS = "quaternity.kwartet.strategies.published"
_COUNTING = "quaternity.kwartet.strategies.counting"

_HIDDEN = {"players": 2, "set_size": 3, "own_card_requests": False}
"""Settings that the benchmark games with hidden information have in common."""

KWARTET = Registration(
    name="kwartet",
    title="Kwartet",
    text="All cards are dealt, and everybody sees their own hand. Ask the others for cards you "
    "lack, remember who asked for what, and put down sets of four.",
    rules="quaternity.kwartet.rules:KwartetRules",
    seats=(2, 8),
    players={
        "random": f"{_STUDENTS}:random_request",
        "greedy": f"{_STUDENTS}:greedy",
        "silent": f"{_STUDENTS}:silent",
        "mixed": f"{_STUDENTS}:mixed",
        "better-greedy": f"{_STUDENTS}:better_greedy",
        "exact": f"{_COUNTING}:exact",
        "patient": f"{_COUNTING}:patient",
        "reader": "quaternity.kwartet.strategies.reader:reader",
    },
    strongest="reader",
    levels=(
        Level(
            "easy",
            "better-greedy",
            "Takes cards that it has seen, and otherwise guesses.",
            1442,
            "🐣",
        ),
        Level(
            "medium",
            "patient",
            "Counts all deals, and waits for the right moment to ask.",
            1626,
            "🦊",
        ),
        Level(
            "strong",
            "reader",
            "Deduces your cards from your requests, and plans ahead.",
            1820,
            "🦉",
        ),
    ),
    player_kind="strategy",
    strategy_player="quaternity.kwartet.players:StrategyPlayer",
    strategy_group="quaternity.kwartet.strategies",
    benchmarks={
        "kwartet_tiny": Benchmark({**_HIDDEN, "sets": 2, "aside": 2}, "lead", 4),
        "kwartet_small": Benchmark({**_HIDDEN, "sets": 2, "aside": 2}, "lead", 6),
        "kwartet_mid": Benchmark({**_HIDDEN, "sets": 3, "aside": 3}, "lead", 3),
    },
    encoded="quaternity.kwartet.encoded:KwartetEncoded",
    batch="quaternity.kwartet.batch:KwartetBatch",
    words="quaternity.cli.kwartet_words:kwartet_words",
    command="quaternity.cli.kwartet:kwartet",
    drawing="quaternity.web.drawing.kwartet:part",
    picture="quaternity.web.drawing.kwartet:picture",
    scenes="quaternity.web.drawing.questions:SCENES",
    advised_move="quaternity.web.drawing.questions:advised_move",
    tips="quaternity.web.drawing.tips:KWARTET",
    first=StarterGame({"players": 3, "sets": 5, "own_card_requests": False}, 2),
    lengths=(
        GameLength("short", 10, {"sets": 6}),
        GameLength("normal", 20, {"sets": 9}),
        GameLength("long", 30, {"sets": 13}),
    ),
    suggested={"own_card_requests": False},
    helpers={
        "chances": "quaternity.web.hints:kwartet_chances",
        "know": "quaternity.web.hints:kwartet_know",
        "questions": "quaternity.web.hints:kwartet_questions",
        "why": "quaternity.web.hints:kwartet_why",
    },
    advice="quaternity.web.hints:chance_of_yes",
    help=(
        ("chances", "Who can have what?"),
        ("chances?read=1", "Likely cards (guessed from the questions so far)"),
        ("questions", "Best questions"),
        ("hint", "Hint"),
        ("know", "Do I know a statement?"),
    ),
    review="quaternity.review.asking:KwartetJudge",
)
