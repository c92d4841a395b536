"""Registration of Quarto with the commands, the browser, tournaments and environments."""

from quaternity.table.registration import RANDOM, GameLength, Level, Registration, StarterGame

QUARTO = Registration(
    name="quarto",
    title="Quarto",
    text="Sixteen pieces with four properties: four in a row that share one of them win. But it is "
    "your opponent who chooses the piece that you place.",
    rules="quaternity.quarto.rules:QuartoRules",
    seats=(2, 2),
    players={
        **RANDOM,
        "careful": "quaternity.quarto.players:careful",
        "search": "quaternity.quarto.players:search",
    },
    strongest="search",
    levels=(
        Level(
            "easy",
            "random",
            "Places and hands over pieces at random, and may miss a quarto.",
            970,
            "🐣",
        ),
        Level(
            "medium",
            "careful",
            "Completes a quarto if possible, and avoids handing you one.",
            1583,
            "🦊",
        ),
        Level("strong", "search", "Imagines many games, and plays the end perfectly.", 1947, "🦉"),
    ),
    encoded="quaternity.quarto.encoded:QuartoEncoded",
    batch="quaternity.quarto.batch:QuartoBatch",
    max_moves=17,
    words="quaternity.cli.quarto_play:quarto_words",
    command="quaternity.cli.quarto:quarto_app",
    drawing="quaternity.web.drawing.quarto:part",
    picture="quaternity.web.drawing.quarto:picture",
    scenes="quaternity.web.drawing.quarto:SCENES",
    tips="quaternity.web.drawing.tips:QUARTO",
    first=StarterGame({}, 1),
    lengths=(GameLength("normal", 10, {}),),
    helpers={"analysis": "quaternity.web.hints:quarto_analysis"},
    advice="quaternity.web.hints:quarto_reason",
    help=(("hint", "Hint"), ("analysis", "Who can win?")),
    review="quaternity.review.perfect_information:QuartoJudge",
)
