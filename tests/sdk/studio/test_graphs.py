"""What a run of LangGraph's server holds; the server itself is in `tests/e2e`."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.lease import holder
from maxagent.sdk.studio import graphs


async def test_a_thread_is_let_go_of_though_its_end_cannot_be_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    thread, database = thread_id.new(), paths.database(tmp_path)
    runs: Any = SimpleNamespace(execution_runtime="of the server")
    with pytest.raises(MaxAgentError) as error:  # which is kept, with all that it came by
        async with graphs.chat({"configurable": {"thread_id": thread}}, runs):
            assert holder(tmp_path, thread)
            database.unlink()
            database.mkdir()
    assert error.value.message and holder(tmp_path, thread) is None
