import pytest

from maxagent.tools.sandbox.failure_hint import find_block, find_hint, find_refused_connection


@pytest.mark.parametrize(
    "text",
    [
        "touch: cannot touch '/usr/x': Read-only file system",
        "OSError: [Errno 30] EROFS",
        "curl: (6) Could not resolve host: example.org",
        "Temporary failure in name resolution",
        "npm ERR! getaddrinfo ENOTFOUND registry.example.org",
        "connect: Network is unreachable",
        "cat: .env: Permission denied",
        "mv: cannot move '.git' to 'g': Device or resource busy",
        "error: t.key: can only add regular files, symbolic links or git-directories",
        "unshare: Operation not permitted",
        "bash: line 1: 12 Bad system call (core dumped) ./32bit",
    ],
)
def test_sandbox_like_failure_explains_how_to_ask(text: str) -> None:
    hint = find_hint(f"some output\n{text}\nmore", network=False)
    assert "`outside_sandbox: true`" in hint and "no network" in hint
    assert "\n" not in hint


@pytest.mark.parametrize(
    "text",
    [
        "OSError: [Errno 97] Address family not supported by protocol",
        "Error: listen EAFNOSUPPORT: address family not supported /tmp/tsx-0/12.pipe",
    ],
)
def test_refused_unix_socket_is_named(text: str) -> None:
    hint = find_hint(text, network=False, unix_sockets=False)
    assert "`sandbox.unix_sockets`" in hint and "`outside_sandbox: true`" in hint
    assert "unix" not in find_hint(text, network=False, unix_sockets=True)


def test_with_a_network_the_network_is_not_why() -> None:
    assert "no network" not in find_hint("Permission denied", network=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 failed, 3 passed",
        "SyntaxError: invalid syntax",
        "ModuleNotFoundError: No module named 'requests'",
        "E   ModuleNotFoundError: No module named 'app.models'",
        "ModuleNotFoundError: No module named 'yaml'; 'yaml' is not a package",
        "ImportError while importing test module\nModuleNotFoundError: No module named 'numpy'",
        "/usr/bin/python3: No module named pytest",
        "ModuleNotFoundError: import of socket halted; None in sys.modules",
        "Error: Cannot find module 'express'\n  code: 'MODULE_NOT_FOUND'",
        "ImportError: cannot import name 'x' from 'y'",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module './x.js'",
        "org.junit.ResourceNotFoundException: x",
        "kotlin.EntityNotFoundError",
        "psycopg.errors.FileNotFoundError2",
    ],
)
def test_any_other_failure_is_the_commands_own(text: str) -> None:
    assert find_hint(text, network=False) == ""
    assert find_block(text, network=False) == ""


def test_failed_sandbox_setup_is_reported() -> None:
    hint = find_hint("bwrap: Can't mkdir /x: Read-only file system\n", network=False)
    assert hint.startswith("the sandbox could not be set up")


@pytest.mark.parametrize(
    ("command", "output", "code", "result"),
    [
        ("curl localhost:3000", "curl: (7) Failed to connect to localhost", 7, True),
        ("curl -s http://127.0.0.1:3000", "", 7, True),
        ("curl -s http://127.0.0.1:3000", "", 22, False),
        ("psql -h localhost", "psql: Connection refused", 2, True),
        ("pytest", "ConnectionRefusedError: connection refused", 1, False),
    ],
)
def test_refused_client_of_this_machine_is_found(
    command: str, output: str, code: int, result: bool
) -> None:
    assert bool(find_refused_connection(command, output, code)) is result
