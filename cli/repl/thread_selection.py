"""Which conversation `mcode chat` goes on with, by `--continue`, `--resume` and `--fork`."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..rendering.output import echo
from ..rendering.thread_listing import SHORT_ID

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow


def select_thread(
    folder: Path, *, latest: bool, named: str | None, fork: bool, name: str
) -> "ThreadRow | None":
    """The thread; None where a new one is begun. Raises UsageError where there is none.

    `named` is empty where the human picks one; `name` is what it is called from here on.
    """
    row = _find_existing(folder, latest=latest, named=named)
    if row is None:
        if fork:
            raise UsageError(
                "no conversation to fork given", hint="add `--continue` or `--resume ID`"
            )
        return None
    if fork:
        row = _fork_thread(row)
    if name:
        _rename_thread(row.thread_id, name, is_copy=fork)
    if fork:
        echo(t("chat.forked", thread=row.thread_id[:SHORT_ID]), err=True)
    return row


def _find_existing(folder: Path, *, latest: bool, named: str | None) -> "ThreadRow | None":
    from ..execution.thread_argument import find_latest_chat, pick_chat
    from ..rendering.thread_listing import open_index

    if latest and named is not None:
        raise UsageError("`--continue` and `--resume` cannot be used together", hint="choose one")
    if latest:
        return find_latest_chat(folder)
    if named is None:
        return None
    return open_index().find(named) if named else pick_chat(folder)


def _fork_thread(row: "ThreadRow") -> "ThreadRow":
    """A copy of the conversation as it is now."""
    from ...config import paths
    from ...sdk.threads.time_travel import copy_thread
    from ..prompts.sync_bridge import run_sync

    return run_sync(copy_thread(row, paths.locate_home()))


def _rename_thread(thread: str, name: str, *, is_copy: bool) -> None:
    """Call it so; a copy that cannot be called so is not kept."""
    from ..rendering.thread_listing import open_index

    index = open_index()
    try:
        index.rename(thread, name)
    except UsageError:
        if is_copy:
            index.delete(thread)
        raise
