from pathlib import Path

from langchain_core.messages import HumanMessage

from maxagent.nodes.compaction.long_requests import store_requests


def test_a_long_message_is_stored_in_lines_to_read(tmp_path: Path) -> None:
    message = HumanMessage("first\n" + "word " * 2_000, id="brief-1")
    stored = store_requests([message], ["brief-1"], tmp_path / "outputs")
    assert stored == {"brief-1": "message-brief-1"}
    lines = (tmp_path / "outputs" / "message-brief-1.txt").read_text().splitlines()
    assert lines[0] == "first"
    assert max(map(len, lines)) <= 500
    assert sum(line.count("word") for line in lines) == 2_000
