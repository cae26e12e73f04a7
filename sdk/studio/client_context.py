"""What a client of LangGraph's server may choose for a run: less than the user at the terminal."""

import os
from dataclasses import dataclass
from typing import ClassVar

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.loader import load
from ...config.settings.schema import Mode, Settings
from ...nodes.context import Context
from ...tools.permissions.policy import mode_of

STRICTEST_FIRST: tuple[Mode, ...] = ("read-only", "ask", "edits", "auto")
MODE_VARIABLE = "MAXAGENT_STUDIO_MODE"
"""The loosest mode of any run; unset: the user's own, else `edits`."""


@dataclass(frozen=True)
class ClientContext(Context):
    """The Context of the server's runs: neither home nor endpoint can be named in it."""

    # no fields: neither Studio's form nor the server's API has them
    home: ClassVar[str] = ""  # pyright: ignore[reportIncompatibleVariableOverride]
    base_url: ClassVar[str] = ""  # pyright: ignore[reportIncompatibleVariableOverride]

    def strictest(self, mode: Mode) -> Mode:
        """The mode, or the server's own where that is stricter."""
        loosest = _loosest_mode()
        return mode if mode in STRICTEST_FIRST[: STRICTEST_FIRST.index(loosest)] else loosest

    def check_endpoint(self, base_url: str) -> None:
        """Refuse an endpoint that the user has not configured, whoever has named it.

        A client can write the options of a thread, and a project's file.
        """
        if base_url.strip() not in ("", _own_settings().litellm.base_url.strip()):
            raise UsageError(
                f"`{base_url}` is not an endpoint in your configuration, so no key is sent there",
                hint="add it with `mcode config set litellm.base_url URL`, or continue this "
                "thread in the terminal with `mcode resume`",
            )


def _loosest_mode() -> Mode:
    named = os.environ.get(MODE_VARIABLE)
    for mode in STRICTEST_FIRST:
        if mode == named:
            return mode
    return mode_of(_own_settings(), "edits")


def _own_settings() -> Settings:
    """The user's, without any project's."""
    home = paths.home()
    return load(paths.data_folder(home), home).settings
