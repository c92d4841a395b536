"""Middleware that checks the host and origin of requests, and functions that parse requests."""

from __future__ import annotations

import hmac
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from socket import gethostname
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaternity.base.text_format import quote_value
from quaternity.web.http_errors import LONG_QUESTION, HttpError
from quaternity.web.rate_limits import client_address, network_of
from quaternity.web.seats import Caller, derive_token, hash_token, new_token

COOKIE = "quaternity"
YEAR = 365 * 24 * 3600

MAX_QUERY_CHARS = 1000
"""Maximum total length of all values in the query of a URL, in characters."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; font-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    # By this header, scripts tell a 404 of this server from one of a proxy whose server is away.
    (b"quaternity-server", b"yes"),
]
_NO_STORE = (b"cache-control", b"no-store")
_SAFE = ("GET", "HEAD")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
_PORTS = {"http": ":80", "https": ":443"}


class RequestChecks:
    """Middleware that refuses requests from pages of other sites, or to unknown host names.

    It also adds security headers to all responses.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        """Set up the checks. `hosts` are host names that requests may use for this server.

        `localhost`, the name of the machine and all IP addresses are also allowed. They are safe,
        because an attacker cannot redirect them to this server by changing DNS records (DNS
        rebinding). Only pages of `hosts` may be served by a proxy that speaks HTTPS.
        """
        self.app = app
        self.host_names = frozenset(host.lower() for host in hosts)
        self.hosts = self.host_names | {"localhost", gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on to the application."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1003})
            return
        root, path = scope.get("root_path", ""), scope["path"]
        if root and path.startswith(f"{root}{root}/"):
            # Strip the path prefix a second time, because the proxy has not stripped it, or there
            # is no proxy.
            path = scope["path"] = path.removeprefix(root)
        headers = [*_HEADERS]
        if not path.startswith(f"{root}/static/"):
            headers.append(_NO_STORE)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        try:
            self._check(scope)
        except HttpError as error:
            await answer(error.document, error.status)(scope, receive, send_with_headers)
            return
        client_address.set(network_of((scope.get("client") or ("",))[0]))
        await self.app(scope, receive, send_with_headers)

    def _check(self, scope: Scope) -> None:
        values: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            values.setdefault(name, []).append(value.decode("latin-1"))
        hosts = values.get(b"host", [])
        if len(hosts) != 1 or not is_known(hosts[0], self.hosts):
            raise HttpError(400, "unknown host name in the request (see --trusted-host)")
        if scope["method"] in _SAFE:
            return
        origins, fetched = values.get(b"origin", []), values.get(b"sec-fetch-site", [])
        if fetched not in ([], ["same-origin"]) or (
            origins and not self._is_own(origins, scope["scheme"], hosts[0].lower())
        ):
            raise HttpError(403, "the request comes from a page of another site")
        if not origins and not fetched and b"cookie" in values and b"authorization" not in values:
            raise HttpError(403, "a request with a cookie must have an Origin header")

    def _is_own(self, origins: list[str], scheme: str, host: str) -> bool:
        """Return whether a page of this server sent a request, as its Origin headers say.

        Behind a proxy that speaks HTTPS, the origin has the scheme `https`, and may have one of the
        additional host names. The proxy need not forward them.
        """
        return len(origins) == 1 and origins[0] in _own_origins(scheme, host, self.host_names)


@lru_cache(maxsize=1024)
def _own_origins(scheme: str, host: str, names: frozenset[str]) -> frozenset[str]:
    own = f"{scheme}://{host.removesuffix(_PORTS.get(scheme, ''))}"
    secure, name = f"https://{host.removesuffix(':443')}", _name(host)
    proxied = [secure if known == name else f"https://{known}" for known in names]
    return frozenset([own, *proxied])


@lru_cache(maxsize=1024)
def is_known(host: str, hosts: frozenset[str]) -> bool:
    """Return whether a host name is one of `hosts` or an IP address. A port is ignored."""
    name = _name(host)
    try:
        ip_address(name)
    except ValueError:
        return name in hosts
    return True


def _name(host: str) -> str:
    """Return a host without its port. Return an empty string if the host is not valid."""
    match = _HOST.fullmatch(host)
    return match[1].strip("[]").lower() if match else ""


def root_of(request: Request) -> str:
    """Return the path prefix of all links to this server, without a final slash."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def caller_of(request: Request) -> Caller:
    """Return the sender of a request, as the hash of its token or else of its cookie.

    Raises `HttpError` if the header contains no valid token.
    """
    secret = secret_of(request)
    if secret is None:
        return Caller()
    if "authorization" in request.headers:
        return Caller(token=hash_token(secret))
    return Caller(cookie_hash=hash_token(secret))


def secret_of(request: Request) -> str | None:
    """Return the token or the valid cookie of a request. Return None if it has neither.

    Raises `HttpError` if the header contains no valid token.
    """
    credentials = request.headers.get("authorization")
    if credentials is not None:
        kind, _, token = credentials.partition(" ")
        if kind.lower() != "bearer" or not _TOKEN.fullmatch(token):
            raise HttpError(401, "Authorization: expected 'Bearer', then the token of a seat")
        return token
    cookie = request.cookies.get(_cookie_name(request), "")
    if hmac.compare_digest(cookie.encode(), sign(request, cookie[:22]).encode()):
        return cookie
    cookie = request.cookies.get(COOKIE, "")
    # Accept a token without a signature, which version 0.1.0 issued as a cookie.
    return cookie if _TOKEN.fullmatch(cookie) else None


def sign(request: Request, token: str) -> str:
    """Return a token followed by its signature, for use as the value of a cookie."""
    return token + derive_token(request.app.state.tables.store.secret, token)


def _cookie_name(request: Request) -> str:
    """Return the name of the cookie by which the server recognizes a browser.

    Over HTTPS the name begins with `__Host-`, so that no other host can set the cookie. Such a
    cookie must have the path `/`, so the name contains the path prefix of the server.
    """
    if request.url.scheme != "https":
        return COOKIE
    return f"__Host-{COOKIE}{re.sub('[^A-Za-z0-9]+', '-', root_of(request))}"


def is_browser(headers: Headers) -> bool:
    """Return whether a browser sent the request. Only browsers receive cookies."""
    return "authorization" not in headers and ("origin" in headers or "sec-fetch-site" in headers)


def new_cookie(request: Request) -> str:
    """Return the value of a new cookie: a random token with a signature of this server."""
    return sign(request, new_token())


def set_cookie(response: Response, request: Request, token: str) -> None:
    """Add to a response the cookie by which the server recognizes the browser."""
    secure = request.url.scheme == "https"
    path = "/" if secure else request.scope.get("root_path") or "/"
    response.set_cookie(
        _cookie_name(request), token, YEAR, path=path, secure=secure, httponly=True, samesite="lax"
    )  # fmt: skip


def seat_of(request: Request) -> int | None:
    """Return the number in the query parameter `seat` of a request. Return None without it.

    Raises `HttpError` if the value is not a seat number.
    """
    asked = request.query_params.get("seat") if request.scope["query_string"] else None
    if asked is None:
        return None
    if not (asked.isascii() and asked.isdigit() and len(asked) < 3):
        raise HttpError(404, "there is no such seat")
    return int(asked)


def query_of(request: Request) -> dict[str, str]:
    """Return the values in the query string of a request, by name.

    Raises `HttpError` if the values have more than `MAX_QUERY_CHARS` characters in total.
    """
    asked = dict(request.query_params)
    if sum(map(len, asked.values())) > MAX_QUERY_CHARS:
        raise HttpError(422, LONG_QUESTION(most=MAX_QUERY_CHARS))
    return asked


BODY_KEY = "quaternity.body"
"""Key in the ASGI scope of a request under which the body of the request is stored."""


async def body_of(request: Request, limit: int) -> bytes:
    """Return the body of a request, which may have at most `limit` bytes.

    Raises `HttpError` if the body is too long or incomplete.
    """
    too_long = HttpError(413, f"the body of the request has more than {limit} bytes")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > limit:
        raise too_long
    # The stream can be read only once, so use the cached body if the request is handled again.
    if BODY_KEY in request.scope:
        return bytes(request.scope[BODY_KEY])
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > limit:
                raise too_long
    except ClientDisconnect:
        raise HttpError(400, "the body of the request is incomplete") from None
    request.scope[BODY_KEY] = body
    return body


async def document_of(request: Request, limit: int) -> dict[str, Any]:
    """Return the JSON object in the body of a request. It is empty if the request has no body.

    Raises `HttpError` if the body is not a JSON object, or has more than `limit` bytes.
    """
    body = await body_of(request, limit)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not body and not kind:
        return {}
    if kind != "application/json":
        raise HttpError(415, "content-type: must be application/json")
    try:
        document = json.loads(
            body.decode(), parse_constant=_refuse_constant, object_pairs_hook=_unique_fields
        )
        if b"\\u" in body:
            # Encoding fails for a lone surrogate, which could not be stored or sent.
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise HttpError(400, "the body must be valid JSON in UTF-8") from error
    if not isinstance(document, dict):
        raise HttpError(400, "the body must be a JSON object")
    return document


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the entries of a JSON object. Raise `HttpError` if a key occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        (name, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise HttpError(400, f"{quote_value(name, str)} is given more than once")
    return fields


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not valid JSON")


def answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that contains a JSON document."""
    text = json.dumps(document, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")
