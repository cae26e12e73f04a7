"""A policy from a signed URL: what was tried to loosen it, against a real server and ssh-keygen."""

import os
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from full_disk import no_file_beyond

from maxagent.config.errors import UsageError
from maxagent.config.security.ssh_signatures import NAMESPACE
from maxagent.config.settings import policy_file, signed_policy
from maxagent.config.settings.policy_file import load_managed_policy

TLS = Path(__file__).parents[2] / "fixtures" / "tls"
POLICY = b"mode: ask\nexpires: 2126-01-01T00:00:00Z\n"
pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is missing")


class Handler(BaseHTTPRequestHandler):
    files: dict[str, bytes]

    def do_GET(self) -> None:
        content = self.files.get(self.path)
        self.send_response(404 if content is None else 200)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: object) -> None:
        return


class Site:
    """An administrator's web site, key and file on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder, dict[str, bytes]()
        self._start()
        self.key = self._make_key("admin")
        self.policy = folder / "policy.yaml"
        self.name()

    def _start(self) -> None:
        handler = type("Own", (Handler,), {"files": self.files})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "server.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://localhost:{self.server.server_address[1]}/policy.yaml"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()

    def _make_key(self, name: str) -> Path:
        key = self.folder / name
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
        subprocess.run(command, check=True)
        return key

    def name(self, more: str = "", url: str = "") -> None:
        """Write the file of the machine."""
        public = self.key.with_suffix(".pub").read_text().strip()
        lines = f"source:\n  url: {url or self.url}\n  key: {public}\n{more}"
        self.policy.write_text(lines)

    def publish(self, content: bytes, key: Path | None = None, namespace: str = NAMESPACE) -> None:
        command = ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", str(key or self.key)]
        signed = subprocess.run(command, input=content, capture_output=True, check=True)
        self.files.update({"/policy.yaml": content, "/policy.yaml.sig": signed.stdout})

    @property
    def copy(self) -> Path:
        [file] = (self.folder / "home" / "data").glob("policy-*")
        return file

    def age(self, seconds: float) -> None:
        """Let the copy be older, and the process new."""
        moment = time.time() - seconds
        os.utime(self.copy, (moment, moment))
        signed_policy._refreshed.clear()  # noqa: SLF001


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "authority.pem"))
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(signed_policy, "_refreshed", set[str]())
    monkeypatch.setattr(signed_policy, "_unsaved", dict[str, tuple[bytes, float]]())
    opened = Site(tmp_path)
    monkeypatch.setattr(policy_file, "POLICY_FILE", opened.policy)
    yield opened
    opened.close()


def test_a_signed_policy_is_obeyed_and_kept(site: Site) -> None:
    site.publish(POLICY)
    policy = load_managed_policy()
    assert policy and policy.limit_mode("auto") == "ask"
    assert policy.locate("mode") == f"{site.url}:1"
    site.files.clear()
    assert load_managed_policy() is policy
    site.age(signed_policy.REFRESH + 60)
    assert load_managed_policy() is policy


def test_a_newer_one_is_taken_by_new_processes(site: Site) -> None:
    site.publish(POLICY)
    assert load_managed_policy()
    site.publish(POLICY.replace(b"ask", b"read-only"))
    site.age(signed_policy.REFRESH + 60)
    policy = load_managed_policy()
    assert policy and policy.limit_mode("ask") == "read-only"


@pytest.mark.parametrize("before", ["nothing", "fresh", "older", "ended"])
def test_a_full_disk_stops_no_policy(site: Site, before: str) -> None:
    site.publish(POLICY)
    if before != "nothing":
        assert load_managed_policy()
        site.publish(POLICY.replace(b"ask", b"read-only"))
        ages = {"fresh": 60, "older": signed_policy.REFRESH + 60, "ended": signed_policy.HOLD + 60}
        site.age(ages[before])
    expected = "ask" if before in ("nothing", "fresh") else "read-only"
    with no_file_beyond(0):
        for _ in range(2):
            policy = load_managed_policy()
            assert policy and policy.limit_mode("ask") == expected
            site.files.clear()


@pytest.mark.parametrize(
    ("attempt", "reason"),
    [
        ("nothing", "404"),
        ("no signature", "404"),
        ("changed", "not what was signed"),
        ("appended", "not what was signed"),
        ("other key", "another key"),
        ("other purpose", "another purpose"),
        ("empty signature", "ssh-keygen"),
        ("ended", "has ended"),
        ("no end", "`expires`"),
        ("its own source", "`expires`|no other keys"),
        ("unknown key", "no key `modus`"),
        ("too long", "not read|fetched"),
        ("copy is old", "404"),
        ("copy is of tomorrow", "404"),
        ("copy is changed", "not what was signed"),
        ("copy is empty", "ssh-keygen"),
        ("copy is of another key", "another key"),
        ("more keys here", "no other keys"),
        ("plain http", "https"),
        ("another host", "could not be fetched"),
        ("wrong certificate", "could not be fetched"),
        ("no key", "key"),
    ],
)
def test_nothing_loosens_it(
    site: Site, attempt: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.publish(POLICY)
    if attempt.startswith("copy"):
        assert load_managed_policy()
    loosened = POLICY.replace(b"ask", b"auto")
    match attempt:
        case "nothing" | "no signature":
            site.files.pop("/policy.yaml.sig")
            site.files.pop("/policy.yaml") if attempt == "nothing" else None
        case "changed":
            site.files["/policy.yaml"] = loosened
        case "appended":
            site.files["/policy.yaml"] += b"hooks: all\n"
        case "other key":
            site.publish(loosened, site._make_key("user"))  # noqa: SLF001
        case "other purpose":
            site.publish(loosened, namespace="file")
        case "empty signature":
            site.files["/policy.yaml.sig"] = b""
        case "ended":
            site.publish(b"mode: ask\nexpires: 2020-01-01T00:00:00Z\n")
        case "no end":
            site.publish(b"mode: ask\n")
        case "its own source":
            site.publish(site.policy.read_bytes())
        case "unknown key":
            site.publish(POLICY + b"modus: ask\n")
        case "too long":
            site.publish(POLICY + b"#" * 2_000_000)
        case "copy is old" | "copy is of tomorrow":
            site.files.clear()
            site.age(signed_policy.HOLD + 60 if attempt == "copy is old" else -86_400)
        case "copy is changed":
            site.copy.write_bytes(site.copy.read_bytes().replace(b"ask", b"auto"))
        case "copy is empty":
            site.copy.write_bytes(b"")
        case "copy is of another key":
            site.key = site._make_key("next")  # noqa: SLF001
            site.name()
        case "more keys here":
            site.name("hooks: all\n")
        case "plain http":
            site.name(url=site.url.replace("https", "http"))
        case "another host":
            site.name(url="https://127.0.0.1:1/policy.yaml")
        case "wrong certificate":
            monkeypatch.delenv("SSL_CERT_FILE")
        case _:
            site.policy.write_text(f"source:\n  url: {site.url}\n  key: none\n")
    with pytest.raises(UsageError, match="nothing runs") as caught:
        load_managed_policy()
    assert_reason(str(caught.value), reason)


def assert_reason(message: str, reason: str) -> None:
    assert any(each in message for each in reason.split("|")), message
