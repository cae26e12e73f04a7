"""Errors of MaxAgent as the answers of LangGraph's server."""

from collections.abc import Generator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

from ...config.errors import MaxAgentError


@contextmanager
def translate_refusal() -> Generator[None]:
    """Answer a client 409 with our message, where a traceback would be a 500."""
    try:
        yield
    except MaxAgentError as error:
        raise HTTPException(409, f"{error.message}; {error.hint}") from error
