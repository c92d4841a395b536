"""Fields of requests and forms, and settings that are read from them."""

import re
from pathlib import Path
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.table.games import GAMES, rules_class
from quaternity.web import forms
from quaternity.web.forms import form_fields, read_settings
from tests.web.site import Site
from tests.web.test_hostile import ROUTES

JSON_REQUESTS = {
    path: document or {}
    for (method, path), document in ROUTES.items()
    if method == "POST" and path not in ("/new", "/api/records")
}


def allowed_fields(site: Site, path: str) -> set[str]:
    """Return the names that the refusal of an unknown field lists."""
    sent = JSON_REQUESTS[path] | {"sead": 1}
    refused = site.ask("POST", path.replace("{table}", "nothing"), sent)
    assert refused.status == 422, refused
    start, names = refused.json["error"].split("; choose from ")
    assert start == "unknown field sead"
    return set(names.split(", "))


@pytest.mark.parametrize("path", JSON_REQUESTS)
def test_requests_refuse_unknown_fields(site: Site, path: str) -> None:
    assert JSON_REQUESTS[path].keys() <= allowed_fields(site, path)


def test_forms_send_only_the_fields_of_their_request(site: Site) -> None:
    paths = set()
    for template in (Path(forms.__file__).parent / "templates").iterdir():
        for opening, path, content in re.findall(
            r'(<form[^>]* data-api="(.*?)".*?>)(.*?)</form>', template.read_text(), re.DOTALL
        ):
            path = re.sub(r"{{.*?}}", "{table}", path)
            names = set(re.findall(r'<(?:input|select)[^>]* name="(\w+)"', content))
            if "data-version" in opening:
                names.add("version")
            assert names <= allowed_fields(site, path), (template.name, path)
            paths.add(path)
    assert len(paths) > 10


@pytest.mark.parametrize("action", ["again", "leave", "code", "elsewhere"])
def test_a_request_without_fields_needs_no_body(site: Site, action: str) -> None:
    path = f"/api/tables/nothing/{action}"
    assert site.ask("POST", path, headers={"content-type": ""}).status == 404
    assert site.ask("POST", path, b"{", headers={"content-type": ""}).status == 415


@pytest.mark.parametrize("game", GAMES)
def test_an_unchanged_form_gives_the_default_settings(game: str) -> None:
    defaults = rules_class(game)().settings
    fields = form_fields(game)
    assert fields
    assert all(field.help for field in fields)
    assert read_settings(game, {}) == defaults
    values = {field.name: getattr(defaults, field.name) for field in fields}
    assert read_settings(game, values) == defaults
    words = {True: "yes", False: "no", None: ""}
    for field in fields:
        text = words.get(values[field.name], str(values[field.name]))
        if field.kind != "choice":
            with pytest.raises(InputError, match=f"^{field.name}: must be .*, not '{text}'"):
                read_settings(game, {field.name: text})


@pytest.mark.parametrize("game", GAMES)
def test_the_ends_of_a_range_are_accepted_and_values_beyond_are_refused(game: str) -> None:
    for field in form_fields(game):
        if field.kind == "number":
            wrong = [field.least - field.step, field.most + field.step, field.least + 0.5, True]
            for beyond in wrong if field.default is None else [*wrong, None]:
                with pytest.raises(
                    InputError, match=f"{field.name}: .*{field.least}..{field.most}"
                ):
                    read_settings(game, {field.name: beyond})
            for end in (field.least, field.most):
                kwargs = {field.name: end}
                try:
                    assert getattr(read_settings(game, kwargs), field.name) == end
                except InputError as error:  # 12 cards among 200 players, more than 200 cards
                    assert "cards" in str(error)  # noqa: PT017
        for choice in field.choices:
            assert getattr(read_settings(game, {field.name: choice}), field.name) == choice


@pytest.mark.parametrize(
    ("game", "sent", "seats", "fault"),
    [
        ("set", {"table": 13}, None, "table: must be a whole number 9..18 in steps of 3, not 13"),
        ("quarto", {"squares": 1}, 2, "squares: must be true or false, not 1"),
        ("quaternity", {"brisk": "true"}, 3, "brisk: must be true or false, not 'true'"),
        ("quaternity", {"tie_break": []}, 3, r"tie_break: unknown choice \[\]; choose from first"),
        ("quaternity", {"seed": 3}, 3, "settings: unknown setting 'seed'; choose from set_size"),
        ("quaternity", {"players": 4}, 3, r"seats: must be 4 \(the setting players\), not 3"),
        ("quaternity", {"sets": 60}, 3, "240 cards, but at most 200 are allowed"),
        ("quaternity", {}, 13, "seats: must be at most 12, not 13"),
        ("kwartet", {"sets": "1" * 5000, "x": 1}, None, "sets: .*; settings: unknown setting 'x'"),
        ("quaternity", {"sets": "٣"}, None, "sets: must be a whole number .*, not '٣'"),
        (
            "kwartet",
            {"x": 1, "sets": 0},
            None,
            "settings: unknown setting 'x'; .*; sets: must be .*, not 0",
        ),
    ],
)
def test_wrong_settings_are_reported(
    game: str, sent: dict[str, Any], seats: int | None, fault: str
) -> None:
    with pytest.raises(InputError, match=fault) as caught:
        read_settings(game, sent, seats)
    assert len(str(caught.value)) < 600


def test_the_seats_say_how_many_play() -> None:
    assert read_settings("kwartet", {"sets": 5}, 3).players == 3
    assert read_settings("set", {}, 1).seats == 1
    assert read_settings("quarto", {}, 2) == rules_class("quarto")().settings
