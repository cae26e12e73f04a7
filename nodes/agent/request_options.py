"""Choices for one request to the model, from the thread's state."""

from ...models.http.dialect import RequestOptions
from ..state import State


def build_request_options(state: State) -> RequestOptions:
    """Return the choices for the thread's next request."""
    return RequestOptions()
