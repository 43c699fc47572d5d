"""The ASGI application: every route from one table, and nothing that is not in it."""

from __future__ import annotations

import asyncio
import logging
import traceback
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route

from qassay.errors import QassayError
from qassay.web.http.bodies import decode, decode_query, read_body
from qassay.web.http.endpoint import Call, Download, Nothing, Reply
from qassay.web.http.guard import Guard
from qassay.web.http.refusal import RefusedError, invalid, stopping, stranger, unknown
from qassay.web.http.replies import JSON, json_response, refusal_response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import Request

    from qassay.web.http.endpoint import Endpoint
    from qassay.web.server import Server
    from qassay.web.study.people import Person

_log = logging.getLogger("qassay.web")
PAGES = {
    "/": "start",
    "/join": "join",
    "/annotate/{project:int}": "annotate",
    "/projects/{project:int}": "dashboard",
    "/projects/{project:int}/adjudicate": "adjudicate",
    "/explore": "explore",
}
"""The screens: shells without data."""
_OPEN = "join"
"""The screen on which an invitation becomes a session; the others are 401 without one, and say so."""
PERSON = "qassay-person"
"""The header in which pages say whom they act for."""
_BUG = RefusedError(500, "bug", "something went wrong in the server; nothing was changed")
LARGEST = (1 << 63) - 1
"""The largest number that the file can hold."""
_SESSION_SECONDS = 30 * 86400


def build_app(server: Server, endpoints: Sequence[Endpoint]) -> Starlette:
    """Return the application of a server."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for each in endpoints:
        by_path.setdefault(each.path, {})[each.method] = each
    routes = [
        Route(path, _handler(server, methods), methods=[*methods], include_in_schema=False)
        for path, methods in by_path.items()
    ]
    routes += [Route(path, _page(server, name), methods=["GET"]) for path, name in PAGES.items()]
    routes.append(Route("/static/{digest}/{name:path}", _static(server), methods=["GET"]))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=server.settings.hosts)],
        exception_handlers={HTTPException: _not_found(server)},
        lifespan=server.lifespan,
    )
    # A path that is not there leads nowhere else.
    app.router.redirect_slashes = False
    return app


def _handler(server: Server, methods: dict[str, Endpoint]) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        endpoint = methods.get("GET" if request.method == "HEAD" else request.method)
        if endpoint is None:
            return refusal_response(RefusedError(405, "method", f"{request.method} does not belong here"))
        with server.counted(endpoint) as counted:
            try:
                response = await _answer(server, endpoint, request)
            except QassayError as problem:
                refused = problem if isinstance(problem, RefusedError) else invalid(problem.message)
                response = refusal_response(refused)
            except asyncio.CancelledError:
                # The server ends, and has waited for this request as long as it waits.
                response = refusal_response(stopping())
            except ClientDisconnect:
                response = refusal_response(RefusedError(400, "disconnected", "the request ended before its body"))
            except Exception as problem:  # noqa: BLE001 - a bug answers as one, and its message may hold texts
                _log_bug(endpoint, problem)
                response = refusal_response(_BUG)
            counted.status = response.status_code
        return response

    return handle


async def _answer(server: Server, endpoint: Endpoint, request: Request) -> Response:
    person = await _identify(server, request)
    _authorise(endpoint, person)
    _check_person(request, person)
    if endpoint.writes:
        server.limit_writes(person, request)
    if endpoint.stream is not None:
        return await endpoint.stream(request, server)
    if any(isinstance(each, int) and each > LARGEST for each in request.path_params.values()):
        raise unknown("such number")
    query = decode_query(request.query_params.multi_items(), endpoint.query)
    body: object = Nothing()
    if request.method not in {"GET", "HEAD"}:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise RefusedError(415, "content_type", f"send the body as {JSON}")
        limits = server.settings
        body = decode(await read_body(request, limits.body_bytes, limits.body_seconds), endpoint.body)
    address = request.client.host if request.client else ""
    call = Call(
        server,
        person,
        body,
        query,
        request.path_params,
        request.headers.get("if-none-match"),
        address,
        request.cookies.get(server.cookie_name, ""),
    )
    assert endpoint.function is not None  # noqa: S101 - an endpoint has a function or a stream
    found = await run_in_threadpool(endpoint.function, call)
    if isinstance(found, Future):
        found = await asyncio.wrap_future(found)
    return _response(server, found if endpoint.then is None else endpoint.then(found))


async def _identify(server: Server, request: Request) -> Person | None:
    if "authorization" not in request.headers and server.cookie_name not in request.cookies:
        # Who shows nothing costs no look into the file.
        return None
    return await run_in_threadpool(server.identify, request)


def _authorise(endpoint: Endpoint, person: Person | None) -> None:
    if endpoint.access is None:
        return
    if person is None:
        raise stranger()
    if person.role not in endpoint.access:
        raise RefusedError(403, "forbidden", f"this is not for the role {person.role}")


def _check_person(request: Request, person: Person | None) -> None:
    """Raise a `RefusedError` where a page acts for someone whose session another invitation replaced in the browser."""
    stated = request.headers.get(PERSON)
    if stated is not None and person is not None and stated != str(person.id):
        raise RefusedError(401, "other_person", "somebody else joined in this browser; open your own link again")


def _response(server: Server, found: object) -> Response:
    if isinstance(found, Download):
        disposition = {"Content-Disposition": f'attachment; filename="{found.name}"'} if found.name else {}
        return Response(found.content, headers=disposition, media_type=found.kind)
    if not isinstance(found, Reply):
        return json_response(found)
    headers = {} if found.etag is None else {"ETag": found.etag, "Cache-Control": "no-cache"}
    response = json_response(found.content, 200, headers)
    if found.unchanged:
        response = Response(status_code=304, headers=headers)
    if found.cookie is not None:
        response.set_cookie(
            server.cookie_name,
            found.cookie,
            max_age=_SESSION_SECONDS if found.cookie else 0,
            httponly=True,
            samesite="strict",
            secure=server.settings.encrypted,
        )
    return response


def _page(server: Server, name: str) -> Callable[[Request], Awaitable[Response]]:
    async def page(request: Request) -> Response:
        content = server.assets.pages.get(name)
        if content is None:
            raise HTTPException(404)
        known = name == _OPEN or await _identify(server, request) is not None
        return Response(content, 200 if known else 401, media_type="text/html; charset=utf-8")

    return page


def _static(server: Server) -> Callable[[Request], Awaitable[Response]]:
    async def static(request: Request) -> Response:
        assets = server.assets
        asset = assets.files.get(request.path_params["name"])
        if asset is None or f"/static/{request.path_params['digest']}" != assets.prefix:
            raise HTTPException(404)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(asset.content, headers=headers, media_type=asset.kind)

    return static


def _not_found(server: Server) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return what answers where there is nothing: strangers do not learn that."""

    async def not_found(request: Request, problem: Exception) -> Response:
        if await _identify(server, request) is None:
            return refusal_response(stranger())
        status = problem.status_code if isinstance(problem, HTTPException) else 404
        if status == 405:
            return refusal_response(RefusedError(405, "method", "that method does not belong here"))
        return refusal_response(RefusedError(status, "unknown", "there is nothing here"))

    return not_found


def _log_bug(endpoint: Endpoint, problem: Exception) -> None:
    """Log where it happened and of which kind it is: neither texts nor tokens reach the log."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    kind = type(problem).__name__
    _log.error("%s %s: %s at %s:%s", endpoint.method, endpoint.path, kind, Path(place.filename).name, place.lineno)
