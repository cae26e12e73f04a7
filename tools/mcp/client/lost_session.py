"""Whether a server has forgotten a session, as after its restart.

The protocol has 404 for it; many servers answer another status, or an error, and say it in words.
"""

import re

import httpx2

SESSION = "mcp-session-id"
# The server has certainly not handled the request, if its words are about the session
_REFUSED = (400, 401, 403, 409, 422)
_WORDS = re.compile(
    r"\bsession\b.{0,60}?\b(?:not found|not exist|not valid|n't exist|expired|invalid|unknown|lost"
    r"|terminated|closed|ended|gone|no longer|missing|required|not initiali[sz]ed)\b"
    r"|\b(?:no|invalid|unknown|expired|missing|unrecognized|stale)\b.{0,30}?\bsession\b"
    r"|\bserver (?:is )?not initiali[sz]ed|\bexpect(?:ed|s)? (?:an? )?`?initialize",
    re.IGNORECASE | re.DOTALL,
)


def names_lost_session(reason: str) -> bool:
    """Return whether an error says that the session is gone."""
    return bool(_WORDS.search(reason.replace("_", " ").replace("sessionId", "session")))


def is_session_lost(response: httpx2.Response, reason: str) -> bool:
    """Return whether the server refuses a request since it does not know its session.

    `reason` is what the answer says. A server that asks for a login says so in a header.
    """
    if SESSION not in response.request.headers or "www-authenticate" in response.headers:
        return False
    status = response.status_code
    return status in (404, 410) or (status in _REFUSED and names_lost_session(reason))
