"""Limits of a client of LangGraph's server: it may choose less than the user at the terminal."""

import os
from dataclasses import dataclass
from typing import ClassVar

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.loader import load_settings
from ...config.settings.schema import ApprovalMode, Settings
from ...config.text import text
from ...nodes.run.context import Context
from ...nodes.run.dependency_pool import DependencyPool
from ...tools.permissions.policy import resolve_mode

STRICTEST_FIRST: tuple[ApprovalMode, ...] = ("read-only", "ask", "edits", "auto")
# The loosest mode of any run; unset: the user's own, else `edits`
MODE_VARIABLE = "MAXAGENT_STUDIO_MODE"


@dataclass(frozen=True)
class ClientContext(Context):
    """The Context of the server's runs: neither home nor endpoint can be named in it."""

    # no fields: neither Studio's form nor the server's API has them
    home: ClassVar[str] = ""  # pyright: ignore[reportIncompatibleVariableOverride]
    base_url: ClassVar[str] = ""  # pyright: ignore[reportIncompatibleVariableOverride]

    def restrict_mode(self, mode: ApprovalMode) -> ApprovalMode:
        """Return the mode, or the server's own if that is stricter."""
        loosest = _find_loosest_mode()
        return mode if mode in STRICTEST_FIRST[: STRICTEST_FIRST.index(loosest)] else loosest

    def check_endpoint(self, base_url: str) -> None:
        """Raise UsageError for an endpoint that the user has not configured, from any source.

        A client can write the options of a thread, and a project's file.
        """
        if base_url.strip() not in ("", _load_user_settings().litellm.base_url.strip()):
            raise UsageError(
                text(
                    "`{base_url}` is not an endpoint in your configuration, so no key is sent "
                    "there",
                    base_url=base_url,
                ),
                hint="add it with `mcode config set litellm.base_url URL`, or continue this "
                "thread in the terminal with `mcode resume`",
            )


def bind_pool(opened: DependencyPool) -> type[ClientContext]:
    """Build the Context class of one run: the server creates it from JSON, and it has this pool."""

    @dataclass(frozen=True)
    class RunContext(ClientContext):
        pool: ClassVar[DependencyPool] = opened  # pyright: ignore[reportIncompatibleVariableOverride]

    return RunContext


def _find_loosest_mode() -> ApprovalMode:
    named = os.environ.get(MODE_VARIABLE)
    for mode in STRICTEST_FIRST:
        if mode == named:
            return mode
    return resolve_mode(_load_user_settings(), "edits")


def _load_user_settings() -> Settings:
    """Load the user's settings, without any project's."""
    home = paths.locate_home()
    return load_settings(paths.ensure_data_folder(home), home).settings
