"""Registration of SET with the commands, the browser, tournaments and environments."""

from quaternity.table.registration import GameLength, Level, Registration, StarterGame

SET = Registration(
    name="set",
    title="SET",
    text="Three cards that are all alike or all different in every property are a SET. All players "
    "look at the same time, and the first to see a SET takes it.",
    rules="quaternity.ternary.rules:SetRules",
    seats=(1, 8),
    players={
        "slow": "quaternity.ternary.players:slow",
        "quick": "quaternity.ternary.players:quick",
    },
    strongest="quick",
    levels=(
        Level("easy", "slow:40", "Finds a SET in half a minute or so.", 688, "🐣"),
        Level("medium", "slow", "Finds a SET in seven seconds or so.", 1541, "🦊"),
        Level(
            "strong",
            "quick",
            "Finds a SET in two seconds or so: faster than most people.",
            2271,
            "🦉",
        ),
    ),
    encoded="quaternity.ternary.encoded:SetEncoded",
    batch="quaternity.ternary.batch:SetBatch",
    words="quaternity.cli.set_play:set_words",
    command="quaternity.cli.ternary:set_app",
    drawing="quaternity.web.drawing.ternary:part",
    picture="quaternity.web.drawing.ternary:picture",
    scenes="quaternity.web.drawing.ternary:SCENES",
    advised_move="quaternity.web.drawing.ternary:advised_move",
    tips="quaternity.web.drawing.tips:SET",
    first=StarterGame({"seats": 2}, 1),
    lengths=(GameLength("normal", 15, {}),),
    advice="quaternity.web.hints:set_reason",
    review="quaternity.review.perfect_information:SetJudge",
)
