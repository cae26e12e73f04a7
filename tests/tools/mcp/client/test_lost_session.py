"""What servers say when they have forgotten a session, and what tools say of their own."""

import httpx2
import pytest

from maxagent.tools.mcp.client.lost_session import SESSION, is_session_lost, names_lost_session

LOST = [
    "Session not found",
    "Bad Request: No valid session ID provided",
    "Bad Request: Mcp-Session-Id header is required",
    "Not Found: Invalid or expired session ID",
    "Bad Request: Server not initialized",
    "Unexpected message, expect initialize request",
    '{"error": "invalid_session"}',
    "The session has expired. Please reconnect",
    "Session 6f1c does not exist",
    "unknown sessionId",
]
OTHER = [
    "the file was not found",
    "two sessions are open",
    "obsession is not a word of the list",
    "invalid argument `name`",
    "initialized 3 of 4 tables",
]


@pytest.mark.parametrize("reason", LOST)
def test_lost_session_is_known_by_its_words(reason: str) -> None:
    assert names_lost_session(reason)


@pytest.mark.parametrize("reason", OTHER)
def test_other_words_are_no_lost_session(reason: str) -> None:
    assert not names_lost_session(reason)


@pytest.mark.parametrize(
    ("status", "reason", "sent", "headers", "is_lost"),
    [
        (404, "", True, {}, True),
        (410, "", True, {}, True),
        (400, "Session expired", True, {}, True),
        (401, "Unauthorized: Session not found", True, {}, True),
        (422, "expect initialize request", True, {}, True),
        (404, "", False, {}, False),
        (400, "wrong arguments", True, {}, False),
        (401, "session expired", True, {"WWW-Authenticate": "Bearer"}, False),
        (500, "session not found", True, {}, False),  # it may have run
    ],
)
def test_status_and_words_decide(
    status: int, reason: str, sent: bool, headers: dict[str, str], is_lost: bool
) -> None:
    request = httpx2.Request("POST", "http://h/mcp", headers={SESSION: "1"} if sent else {})
    response = httpx2.Response(status, headers=headers, request=request)
    assert is_session_lost(response, reason) == is_lost
