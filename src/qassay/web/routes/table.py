"""Every endpoint of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.web.http.app import build_app
from qassay.web.routes import annotate, explore, lead, operations, score, session

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from qassay.web.server import Server

ENDPOINTS = (
    *session.ENDPOINTS,
    *annotate.ENDPOINTS,
    *lead.ENDPOINTS,
    *explore.ENDPOINTS,
    *score.ENDPOINTS,
    *operations.ENDPOINTS,
)


def app_of(server: Server) -> Starlette:
    """Return the application of a server."""
    server.description = operations.describe(ENDPOINTS)
    return build_app(server, ENDPOINTS)
