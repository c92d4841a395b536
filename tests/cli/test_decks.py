"""Card names at the terminal, as `play`, `watch` and `kwartet note` show and read them."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.cli.kwartet_note import HELP
from quaternity.cli.kwartet_words import kwartet_words
from quaternity.cli.match import QUIT, WORDS
from quaternity.cli.quaternity_words import quaternity_words
from quaternity.decks import Deck, DeckWords, decks, find_deck
from quaternity.decks.deck import COMMAND_WORDS
from quaternity.epistemic import grammar
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.game.sentences import question_sentence
from quaternity.game.settings import Settings
from quaternity.game.state import State
from tests.cli.conftest import Cli
from tests.sizes import examples, thorough

HOME = """
title = "At home"
[[sets]]
name = "cats"
cards = ["Minoes", "Tom", "Garfield", "Dikkie Dik"]
[[sets]]
name = "dogs"
cards = ["Pluto", "Lassie", "Snoopy", "Bello"]
[[sets]]
name = "birds"
cards = ["owl", "swan", "duck", "hen"]
"""

SMALL = ("-s", 4, "-n", 3, "-p", 3)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home.toml"
    path.write_text(HOME, encoding="utf-8")
    return path


def test_no_name_can_be_a_command() -> None:
    words = {*WORDS, *QUIT, *quaternity_words().words, *kwartet_words().words, *grammar.RESERVED}
    words |= {word for word in grammar.SPELLINGS if word.isalpha()}
    words |= {*re.findall(r"\b(?:asks|puts|down|for|yes|no)\b", HELP)}
    assert words <= COMMAND_WORDS


@given(st.data(), st.sampled_from(decks()))
@settings(max_examples=examples(200))
def test_a_question_is_read_as_it_is_shown(data: st.DataObject, deck: Deck) -> None:
    """A question as shown, or with the bare name in quotes, is read as the question in numbers."""
    sets, size = (len(deck.sets) or 5), (len(deck.sets[0].cards) if deck.sets else 4)
    index, number = data.draw(st.integers(0, sets - 1)), data.draw(st.integers(0, size - 1))
    words = DeckWords(deck)
    rules = QuaternityRules(Settings(size, sets, 2))
    view = QuaternityPosition(State.start(rules.settings))
    question = Question(0, 1, Card(index, number))
    shown = words.say(question_sentence(question))
    name = words.card((index, number)).removesuffix(f" ({words.set(index)})")
    quoted = f'1 for "{name}"' if words.deck.sets else f"1 for {name}"
    for text in (
        shown if " " not in name else quoted,
        quoted,
        quoted.upper().replace("FOR", "for"),
    ):
        assert rules.read(words.read(text), view) == question


def test_a_game_is_shown_and_read_by_names(cli: Cli) -> None:
    typed = "1 for FOX\nno\n2 vos\nmoves\nquestions\nhistory\nhelp\nquit\n"
    out = cli("play", *SMALL, "--deck", "everyday", stdin=typed).out
    assert "0 asks 1 for fox (forest): yes or no?" in out
    assert "fox =2" in out
    assert "1. 0 asks 1 for fox (forest): no" in out
    assert "2. 1 asks 2 for fox (forest): yes" in out
    assert "cow (farm), pig (farm), sheep (farm) and hen (farm)" in out
    assert "cow (farm) is 0/0" in out
    assert not re.search(r"\d asks \d for \d", out)


def test_the_record_keeps_numbers_and_resumes_with_another_deck(cli: Cli, tmp_path: Path) -> None:
    record = tmp_path / "game.record"
    cli("play", *SMALL, "--deck", "everyday", "--record", record, stdin="1 fox\nno\nquit\n")
    assert "0 asks 1 for 1/0: no" in record.read_text()
    out = cli("play", "--deck", "world", "--record", record, stdin="history\nquit\n").out
    assert "1. 0 asks 1 for fox (forest): no" in out
    out = cli("watch", record, "--deck", "everyday").out
    assert "0 asks 1 for fox (forest): no" in out
    assert "0 asks 1 for 1/0: no" in cli("watch", record).out


def test_refusals_use_names_and_misspelt_names_get_suggestions(cli: Cli) -> None:
    typed = '1 squirel\n1 "ice creem"\n0 cow\n1 cow\nyes\n1 cow\nquit\n'
    out = " ".join(cli("play", *SMALL, "--deck", "everyday", stdin=typed).out.split())
    assert "did you mean squirrel? (or type help)" in out
    assert "no card has the name 'ice creem'" in out
    assert "not possible: players cannot ask themselves" in out
    assert "player 0 owns cow (farm)" in out
    out = cli("play", *SMALL, "--deck", "world", stdin='1 "fire enjin"\nquit\n').out
    assert "no card has the name 'fire enjin': did you mean fire engine?" in out


def test_kwartet_is_played_by_names(cli: Cli) -> None:
    typed = "moves\nchances forest\nhint\nquit\n"
    out = cli("kwartet", "play", "--deck", "world", "--seed", 3, stdin=typed).out
    assert re.search(r"your hand: .*\(\w+\)", out)
    assert re.search(r"would play: 0 asks \d for .* \(.*\) \(yes with", out)
    assert "set 1\n" in out
    assert not re.search(r"\d/\d", out.partition("chances in percent")[0])


def test_a_real_deck_is_noted_by_card_names(cli: Cli, home: Path, tmp_path: Path) -> None:
    log = tmp_path / "evening.log"
    typed = (
        "Minoes, Tom, Garfeld, owl\nMinoes, Tom, Garfield, owl\n"
        '0 asks 1 for "Dikkie Dik": yes\n0 1 swan no\n1 2 pluto yes\n1 puts down dogs\n'
        "1 2 snopy no\nhistory\nundo\nquit\n"
    )
    command = ("kwartet", "note", log, "--seat", 0, "--players", 3, "-n", 3, "--deck", home)
    out = cli(*command, stdin=typed).out
    assert "did you mean Garfield?" in out
    assert "certain now: player 2 has swan (birds)" in out
    assert "0 puts down cats" in out
    assert "1 puts down dogs" in out
    assert "did you mean Snoopy?" in out
    assert "3. 1 asks 2 for Pluto (dogs): yes · 1 puts down dogs" in out
    assert "taken back: 1 asks 2 for Pluto (dogs): yes" in out
    lines = log.read_text().splitlines()
    assert lines[-3:] == ["0 asks 1 for 0/3: yes", "0 puts down 0", "0 asks 1 for 2/1: no"]
    out = cli("kwartet", "watch", log, "--deck", home).out
    assert "step 1 of 2: 0 asks 1 for Dikkie Dik (cats): yes, 0 puts down cats" in out


def test_all_hands_are_shown_by_names(cli: Cli, tmp_path: Path) -> None:
    log = tmp_path / "my.game"
    # With other seeds a complete set may be dealt or won at once; it is put down, not shown.
    seats = ("--seats", "random,random,you", "-n", 3, "--seed", 1)
    cli("kwartet", "play", "--record", log, *seats, stdin="quit\n")
    out = cli("kwartet", "watch", log, "--deck", "everyday", "--no-worlds").out
    for face in find_deck("everyday").sets[:3]:
        row = next(line for line in out.splitlines() if line.lstrip().startswith(face.names[0]))
        assert {*row.split()} == {face.names[0], *(card.names[0] for card in face.cards)}


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        ("animals", "--deck 'animals': .* everyday, world and plain, or name a file"),
        ("none.toml", "none.toml: No such file"),
        (
            "everyday",
            "13 sets of at least 4 cards, does not fit .* deck world does, and deck plain fits",
        ),
    ],
)
def test_an_unsuitable_deck_is_refused(cli: Cli, deck: str, message: str) -> None:
    done = cli("play", "-s", 8, "-n", 3, "-p", 3, "--deck", deck)
    assert done.status == 2
    assert re.search(message, done.err)


def test_a_bad_file_is_refused_before_anything_is_written(cli: Cli, home: Path) -> None:
    home.write_text(HOME.replace('"Tom"', '"undo"'), encoding="utf-8")
    log = home.with_name("new.log")
    done = cli("kwartet", "note", log, "-n", 3, "--players", 3, "--deck", home)
    assert done.status == 2
    assert "home.toml: set 0, card 1: 'undo' is a command of the game" in done.err
    assert not log.exists()
    record = home.with_name("quarto.record")
    cli("quarto", "play", "--record", record, stdin="quit\n")
    done = cli("watch", record, "--deck", "world")
    assert (done.status, "do not form sets" in done.err) == (2, True)


def test_any_text_is_read_without_a_crash() -> None:
    words, random = DeckWords(find_deck("world")), Random(5)
    for _ in range(thorough(500, 2000)):
        text = "".join(random.choices('fox "()1/2:,\t\\é🦊', k=random.randrange(30)))
        try:
            message = words.read(text) and "no card has the name"
        except ValueError as error:
            message = str(error)
        assert not message or "no card has the name" in message
