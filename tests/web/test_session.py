"""Joining by invitation, the pages, and the static files."""

from qassay.web.http.app import PAGES


def test_an_owners_token_is_for_one_use_and_opens_a_session(serving):
    """A token becomes a cookie that scripts cannot read; the second use is refused."""
    here = serving()
    joined = here.client().post("/api/v1/join", {"token": here.owner_token})
    assert joined.status == 200
    assert joined.json["next"] == "/"
    assert "HttpOnly" in joined.headers["set-cookie"]
    assert "samesite=strict" in joined.headers["set-cookie"].lower()
    assert f"qassay-{here.port}=" in joined.headers["set-cookie"]
    assert here.client().post("/api/v1/join", {"token": here.owner_token}).status == 401
    owner = here.client(cookie=joined.headers["set-cookie"].partition(";")[0])
    assert owner.get("/api/v1/me").json["person"]["role"] == "owner"


def test_leaving_ends_the_session(serving):
    """A cookie is worth nothing after its owner left."""
    owner = serving().owner()
    assert owner.post("/api/v1/leave").status == 200
    assert owner.get("/api/v1/me").status == 401


def test_pages_name_their_scripts_under_a_hashed_address(serving):
    """Every page is there, for strangers as a refusal that tells them what to do, and its files are kept for ever."""
    here = serving()
    client, owner, prefix = here.client(), here.owner(), here.server.assets.prefix
    for path in PAGES:
        page = client.get(path.replace("{project:int}", "1"))
        assert page.status == (200 if path == "/join" else 401)
        assert owner.get(path.replace("{project:int}", "1")).body == page.body
        assert "<script>" not in page.body.decode()
        assert prefix in page.body.decode()
    script = client.get(f"{prefix}/js/start.js")
    assert script.status == 200
    assert "immutable" in script.headers["cache-control"]
    assert owner.get("/static/0000/js/start.js").status == 404
