"""Attacks on `mcode web`: none reads a thread, begins a run, or holds up the others."""

import http.client
import json
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from page_server import PageServer
from program import Program

from maxagent.cli.web import access_control
from maxagent.cli.web.server import HEAD_TIME

NOBODY = "11111111-1111-4111-8111-111111111111"
SECRET = "a-line-that-only-the-token-shows"
Headers = Sequence[tuple[str, str]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    program = Program(tmp_path_factory.mktemp("web"), "http://127.0.0.1:9/v1")
    (program.project.parent / "secret.js").write_text(SECRET)
    with PageServer(program, "--public", "https://box.example.ts.net") as opened:
        yield opened


def send(server: PageServer, method: str, path: str, headers: Headers, body: bytes = b"") -> bytes:
    """Send a request as it is written; return the whole answer."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    head = "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head + body)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def read_status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def with_token(server: PageServer, *more: tuple[str, str], host: str = "") -> Headers:
    host = host or server.host
    return [("Host", host), ("Authorization", f"Bearer {server.token}"), *more]


def test_who_has_the_token_is_answered(server: PageServer) -> None:
    assert read_status(send(server, "GET", "/api/threads", with_token(server))) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:PORT",
        "localhost.evil.example:PORT",
        "localhost",
        "0.0.0.0:PORT",
        "127.1:PORT",
        "2130706433:PORT",
        "[::]:PORT",
        "127.0.0.1:PORT@evil.example",
        "evil.example#127.0.0.1:PORT",
        "127.0.0.1:PORT/../evil",
        "box.example.ts.net.evil.example",
        "box.example.ts.net:PORT",
        "",
    ],
)
def test_another_host_is_refused(server: PageServer, host: str) -> None:
    value = host.replace("PORT", str(server.port))
    headers = [("Host", value), ("Authorization", f"Bearer {server.token}")]
    assert read_status(send(server, "GET", "/api/threads", headers)) in (400, 421)
    assert read_status(send(server, "GET", "/", headers)) in (400, 421)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://evil.example",
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost.evil.example",
        "https://127.0.0.1:PORT.evil.example",
        "http://evil.example/127.0.0.1:PORT",
        "http://127.0.0.1:PORT@evil.example",
        "file://",
        "chrome-extension://abcdefgh",
        "https://box.example.ts.net.evil.example",
        "ftp://127.0.0.1:PORT",
        "",
    ],
)
def test_another_origin_is_refused(server: PageServer, origin: str) -> None:
    value = origin.replace("PORT", str(server.port))
    headers = with_token(server, ("Origin", value), ("Content-Type", "application/json"))
    assert read_status(send(server, "POST", "/api/threads", headers, b'{"text":"x"}')) == 403
    assert read_status(send(server, "GET", "/api/threads", headers)) == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:PORT", "http://localhost:PORT"])
def test_its_own_origins_are_answered(server: PageServer, origin: str) -> None:
    headers = with_token(server, ("Origin", origin.replace("PORT", str(server.port))))
    assert read_status(send(server, "GET", "/api/threads", headers)) == 200


def test_the_named_proxy_is_answered(server: PageServer) -> None:
    origin = ("Origin", "https://box.example.ts.net")
    headers = with_token(server, origin, host="box.example.ts.net")
    assert read_status(send(server, "GET", "/api/threads", headers)) == 200


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Bearer TOKENx",
        "Bearer xTOKEN",
        "Bearer TOKE",
        "Basic TOKEN",
        "TOKEN",
        "Bearer TOKEN TOKEN",
        "Bearer  TOKEN",
        "Bearer \u00e9\u00e9",
        "bearer null",
        "Bearer undefined",
        "Bearer " + "A" * 43,
        "Bearer " + "A" * 20_000,
    ],
)
@pytest.mark.parametrize("path", ["/api/threads", "/api/events", f"/api/threads/{NOBODY}/events"])
def test_without_the_token_nothing_is_read(
    server: PageServer, authorization: str | None, path: str
) -> None:
    value = (authorization or "").replace("TOKEN", server.token)
    value = value.replace("TOKE", server.token[:-1])
    credentials = [] if authorization is None else [("Authorization", value)]
    assert read_status(send(server, "GET", path, [("Host", server.host), *credentials])) == 401


@pytest.mark.parametrize("suffix", ["?token=TOKEN", "?access_token=TOKEN", "#token=TOKEN"])
def test_the_token_counts_in_the_header_alone(server: PageServer, suffix: str) -> None:
    path = f"/api/threads{suffix.replace('TOKEN', server.token)}"
    headers = [("Host", server.host), ("Cookie", f"token={server.token}")]
    assert read_status(send(server, "GET", path, headers)) in (400, 401)


def test_two_tokens_are_none(server: PageServer) -> None:
    headers = with_token(server, ("Authorization", "Bearer wrong"))
    assert read_status(send(server, "GET", "/api/threads", headers)) == 401


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", ["/api/threads", "/page/app.js"])
def test_another_site_can_load_nothing(server: PageServer, site: str, path: str) -> None:
    headers = with_token(server, ("Sec-Fetch-Site", site))
    assert read_status(send(server, "GET", path, headers)) == 403


@pytest.mark.parametrize(
    "path",
    [
        "/page/../../../../etc/passwd",
        "/page/..%2f..%2f..%2fetc/passwd",
        "/page/%2e%2e/%2e%2e/server.py",
        "/page/....//....//server.py",
        "/page//etc/passwd",
        "/page/vendor/../../server.py",
        "/page/vendor/vendor.json",
        "/page/..\\..\\server.py",
        "/page/app.js%00.html",
        "/page/../../token.py",
        "/page/",
        "/page",
        "//etc/passwd",
        "/../etc/passwd",
        "/page/secret.js",
        "/page/%252e%252e/server.py",
        "/page/\u00c0\u00ae\u00c0\u00ae/server.py",
    ],
)
def test_no_other_file_is_served(server: PageServer, path: str) -> None:
    answer = send(server, "GET", path, with_token(server))
    assert read_status(answer) in (307, 400, 401, 404)
    assert b"root:" not in answer and b'"""' not in answer and SECRET.encode() not in answer


@pytest.mark.parametrize(
    "thread",
    [
        "..%2f..%2fetc",
        "..",
        "%2e%2e",
        "x' OR '1'='1",
        "x;DROP TABLE threads",
        NOBODY.upper(),
        f"{NOBODY}%00",
        f"{NOBODY}%0a",
        "1" * 5000,
        "\u5341",
        "__proto__",
        "*",
    ],
)
def test_a_thread_is_named_by_its_id_alone(server: PageServer, thread: str) -> None:
    from urllib.parse import quote

    path = f"/api/threads/{quote(thread, safe='%')}/files"
    assert read_status(send(server, "GET", path, with_token(server))) in (400, 404)


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("text/plain", b'{"text":"x"}', 415),
        ("application/x-www-form-urlencoded", b"text=x", 415),
        ("multipart/form-data; boundary=x", b"--x--", 415),
        ("", b'{"text":"x"}', 415),
        ("application/json", b"", 400),
        ("application/json", b"{", 400),
        ("application/json", b"[]", 400),
        ("application/json", b"null", 400),
        ("application/json", b'{"text": 1e999}', 400),
        ("application/json", b'"\\ud800"', 400),
        ("application/json", b"\xff\xfe", 400),
        ("application/json", b"[" * 100_000, 400),
        ("application/json", b'{"text":"x","folder":"../../etc"}', 400),
        ("application/json", b'{"text":"x","folder":"/etc/passwd"}', 400),
        ("application/json", b'{"text":"x","folder":"/tmp\\u0000/x"}', 400),
        ("application/json", b'{"text":"' + b"x" * 1_000_001 + b'"}', 413),
    ],
)
def test_a_bad_body_begins_nothing(
    server: PageServer, content_type: str, body: bytes, status: int
) -> None:
    headers = with_token(server, ("Content-Type", content_type))
    assert read_status(send(server, "POST", "/api/threads", headers, body)) == status
    assert server.get("/api/threads")["threads"] == []


JSON = ("Content-Type", "application/json")
RUN = {"threadId": NOBODY, "runId": "r", "messages": [{"id": "m", "role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("change", "body", "status"),
    [
        ({"Authorization": None}, RUN, 401),
        ({"Authorization": "Bearer wrong"}, RUN, 401),
        ({"Authorization": "Basic TOKEN"}, RUN, 401),
        ({"Host": "evil.example"}, RUN, 421),
        ({"Host": "127.0.0.1.evil.example:PORT"}, RUN, 421),
        ({"Origin": "http://evil.example"}, RUN, 403),
        ({"Origin": "null"}, RUN, 403),
        ({"Origin": "http://127.0.0.1:1"}, RUN, 403),
        ({"Sec-Fetch-Site": "cross-site"}, RUN, 403),
        ({"Sec-Fetch-Site": "same-site"}, RUN, 403),
        ({"Content-Type": "text/plain"}, RUN, 415),
        ({"Content-Type": None}, RUN, 415),
        ({"Mcode-Language": "fr"}, RUN, 400),
        ({}, {**RUN, "threadId": "../../etc/passwd"}, 400),
        ({}, {**RUN, "threadId": f"{NOBODY}/../x"}, 400),
        ({}, {**RUN, "threadId": "x' OR '1'='1"}, 400),
        ({}, {**RUN, "threadId": f"{NOBODY}\n"}, 400),
        ({}, {**RUN, "messages": {"__proto__": []}}, 400),
        ({}, {**RUN, "forwardedProps": {"mcode": {"__proto__": {}}}}, 400),
        ({}, {**RUN, "forwardedProps": {"mcode": {"options": {"mode": "auto"}}}}, 400),
        ({}, {**RUN, "state": "x" * 16_000_001}, 413),
        ({}, [], 400),
    ],
)
def test_a_front_end_is_checked_as_the_page(
    server: PageServer, change: dict[str, str | None], body: object, status: int
) -> None:
    headers = {**dict(with_token(server, JSON)), **change}
    sent = [(name, fill(server, value)) for name, value in headers.items() if value is not None]
    assert read_status(send(server, "POST", "/agui", sent, json.dumps(body).encode())) == status
    assert server.get("/api/threads")["threads"] == []


def fill(server: PageServer, value: str) -> str:
    return value.replace("TOKEN", server.token).replace("PORT", str(server.port))


@pytest.mark.parametrize(
    ("choices", "word"),
    [
        ({"folder": "../../etc"}, "absolute path"),
        ({"folder": "/etc/passwd"}, "no folder"),
        ({"folder": "/tmp\0/x"}, "absolute path"),
        ({"graph": "edit"}, "no kind of thread"),
        ({"mode": "root"}, "cannot be"),
    ],
)
def test_a_front_end_cannot_choose_more(
    server: PageServer, choices: dict[str, str], word: str
) -> None:
    body = {**RUN, "forwardedProps": {"mcode": choices}}
    answer = send(server, "POST", "/agui", with_token(server, JSON), json.dumps(body).encode())
    assert b"RUN_ERROR" in answer and word.encode() in answer
    assert server.get("/api/threads")["threads"] == []


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_a_front_end_only_posts(server: PageServer, method: str) -> None:
    assert read_status(send(server, method, "/agui", with_token(server))) in (400, 405)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "CONNECT"])
def test_other_methods_do_nothing(server: PageServer, method: str) -> None:
    assert read_status(send(server, method, "/api/threads", with_token(server))) in (400, 404, 405)


@pytest.mark.parametrize("after", ["-1", "1e9", "\u0665", "9" * 30, "0x1", " ", "NaN"])
def test_a_wrong_number_is_refused(server: PageServer, after: str) -> None:
    from urllib.parse import quote

    path = f"/api/threads/{NOBODY}/events?after={quote(after)}"
    assert read_status(send(server, "GET", path, with_token(server))) == 400


def test_a_websocket_is_not_opened(server: PageServer) -> None:
    key = ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    upgrade = [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"), key]
    headers = [("Host", server.host), *upgrade]
    assert read_status(send(server, "GET", "/api/events", headers)) in (400, 401)


@pytest.mark.parametrize(
    "header",
    [
        "content-security-policy",
        "x-content-type-options",
        "x-frame-options",
        "referrer-policy",
        "cross-origin-opener-policy",
        "cross-origin-resource-policy",
    ],
)
@pytest.mark.parametrize("path", ["/", "/page/app.js", "/api/threads", "/api/nothing"])
def test_every_answer_protects_the_page(server: PageServer, header: str, path: str) -> None:
    _, _, response = server.ask("GET", path)
    assert response.headers[header]
    assert "access-control-allow-origin" not in response.headers


def test_the_policy_allows_own_files_alone() -> None:
    rules = dict(part.split(" ", 1) for part in access_control.POLICY.split("; "))
    assert rules.pop("require-trusted-types-for") == "'script'"
    assert set(" ".join(rules.values()).split()) == {"'none'", "'self'"}


@pytest.mark.parametrize("part", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nX: "])
def test_slow_clients_hold_nobody_up(server: PageServer, part: bytes) -> None:
    slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
    try:
        for connection in slow:
            connection.sendall(part)
        start = time.monotonic()
        assert server.get("/api/threads") == {"threads": []}
        assert time.monotonic() - start < HEAD_TIME
    finally:
        for connection in slow:
            connection.close()


def test_a_connection_without_a_request_ends(server: PageServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert connection.recv(1) == b""


def test_a_body_that_never_comes_ends(server: PageServer) -> None:
    head = [*with_token(server, ("Content-Type", "application/json")), ("Content-Length", "50")]
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.putrequest("POST", "/api/threads", skip_host=True)
        for name, value in head:
            connection.putheader(name, value)
        connection.endheaders(b'{"te')
        assert connection.getresponse().status == 408


def test_it_listens_on_this_machine_alone(server: PageServer) -> None:
    port = f"{server.port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port}")]
    assert listening == [f"0100007F:{port}"]


def test_the_token_is_in_no_answer(server: PageServer) -> None:
    for path in ("/", "/page/app.js", "/api/server", "/api/threads"):
        answer = send(server, "GET", path, with_token(server))
        assert server.token.encode() not in answer


def test_the_token_file_is_private(server: PageServer) -> None:
    [file] = server.program.home.rglob("web-token")
    assert file.stat().st_mode & 0o077 == 0
    assert json.dumps(server.token).strip('"') == file.read_text().strip()
