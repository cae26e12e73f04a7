import json
from pathlib import Path

import pytest

from maxagent.cli.commands.team.queue import read_file, to_batch_code
from maxagent.sdk.workers.submission import QueuedTask

CODES: dict[int, list[set[str]]] = {
    0: [set(), {"done"}, {"unverified", "undone", "idle"}],
    1: [{"failed"}, {"cancelled"}, {"interrupted"}, {"busy"}, {"unknown"}, {"waiting", "failed"}],
    3: [{"limit"}, {"done", "limit"}],
    4: [{"waiting"}, {"done", "limit", "waiting"}],
}


@pytest.mark.parametrize(
    ("code", "statuses"), [(code, each) for code, sets in CODES.items() for each in sets]
)
def test_only_a_batch_that_ended_succeeds(code: int, statuses: set[str]) -> None:
    assert to_batch_code(statuses) == code


REQUESTS = ["a\u2028b", "a\u2029b", "a\x85b", "a\x0bb\x0cc", "a\x1cb\x1dc\x1ed", "\ufeffa", "普通"]


@pytest.mark.parametrize("request_text", REQUESTS, ids=map(ascii, REQUESTS))
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_every_text_of_json_is_a_task(
    request_text: str, mark: str, end: str, tmp_path: Path
) -> None:
    escaped = json.dumps({"task": request_text}, ensure_ascii=False)
    file = tmp_path / "tasks.jsonl"
    file.write_bytes(f"{mark}{escaped}{end}{escaped}".encode())
    tasks = read_file(file, "", QueuedTask("", tmp_path, {}))
    assert [task.request for task in tasks] == [request_text] * 2
