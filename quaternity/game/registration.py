"""Registration of Quaternity with the commands, the browser, tournaments and environments."""

from quaternity.table.registration import Benchmark, GameLength, Level, Registration, StarterGame

_PLAYERS = "quaternity.perfect.players"
_HELPING = "quaternity.web.hints"

QUATERNITY = Registration(
    name="quaternity",
    title="Quaternity",
    text="Nobody deals the cards, and nobody knows their own hand: only the questions and answers "
    "decide who has which card. Ask well to complete whole sets.",
    rules="quaternity.game.rules:QuaternityRules",
    seats=(2, 52),
    players={name: f"{_PLAYERS}:{name}" for name in ("random", "informed", "search", "perfect")},
    of_files=frozenset({"perfect"}),
    strongest="search",
    levels=(
        Level("easy", "random", "Asks and answers at random, within the rules.", 1327, "🐣"),
        Level(
            "medium",
            "informed:50",
            "Thinks before half of its moves, and chooses the others at random.",
            1502,
            "🦊",
        ),
        Level(
            "strong",
            "informed",
            "Weighs every question by what its answer would reveal.",
            1671,
            "🦉",
        ),
    ),
    player_kind="bot",
    chance_by_entry=True,
    benchmarks={
        "quaternity_mini": Benchmark(
            {"set_size": 2, "sets": 3, "players": 3, "brisk": True}, "win", 10
        ),
    },
    encoded="quaternity.game.encoded:QuaternityEncoded",
    words="quaternity.cli.quaternity_words:quaternity_words",
    command="quaternity.cli.app:app",
    at_root=True,
    drawing="quaternity.web.drawing.quaternity:part",
    picture="quaternity.web.drawing.quaternity:picture",
    scenes="quaternity.web.drawing.questions:SCENES",
    advised_move="quaternity.web.drawing.questions:advised_move",
    tips="quaternity.web.drawing.tips:QUATERNITY",
    first=StarterGame({"set_size": 3, "sets": 4, "players": 3}, 2),
    lengths=(
        GameLength("short", 5, {"set_size": 3, "sets": 4}),
        GameLength("normal", 15, {"sets": 6}),
        GameLength("long", 30, {"sets": 9}),
    ),
    helpers={
        "chances": f"{_HELPING}:quaternity_chances",
        "questions": f"{_HELPING}:questions",
        "why": f"{_HELPING}:why",
        "know": f"{_HELPING}:quaternity_know",
    },
    advice=f"{_HELPING}:quaternity_reason",
    review="quaternity.review.asking:QuaternityJudge",
    help=(
        ("chances", "Who can have what?"),
        ("questions", "Best questions"),
        ("hint", "Hint"),
        ("why", "Why?"),
        ("know", "Is a statement certain?"),
    ),
)
