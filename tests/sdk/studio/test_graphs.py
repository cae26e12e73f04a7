"""What a run of LangGraph's server holds; the server itself is in `tests/e2e`."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.lease import find_holder
from maxagent.sdk.studio import graphs


async def test_lease_is_released_when_recording_end_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    thread, database = thread_id.create_thread_id(), paths.locate_database(tmp_path)
    runs: Any = SimpleNamespace(execution_runtime="of the server")
    with pytest.raises(MaxAgentError) as error:  # which is kept, with all that it came by
        async with graphs.chat({"configurable": {"thread_id": thread}}, runs):
            assert find_holder(tmp_path, thread)
            database.unlink()
            database.mkdir()
    assert error.value.message and find_holder(tmp_path, thread) is None
