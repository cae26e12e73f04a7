from pathlib import Path

from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.nodes.run.message_history import build_tool_message
from maxagent.nodes.subagents.abandoned_children import answer_with_reports, end_abandoned


def test_reports_answer_the_call_and_the_rest_is_killed(tmp_path: Path) -> None:
    sub_runs = SubRuns(tmp_path / "threads.db")
    for position in range(2):
        sub_runs.begin("t", "call", position, namespace="n", agent="explore", title="x")
    sub_runs.finish("t", "explore-1", "done", requests=1, tokens=2, cost=0.1, report="found")
    end_abandoned(sub_runs, "t")
    other = build_tool_message("other", "grep", "build", "not run", ok=False)
    sent = build_tool_message("call", "subagent", "build", "not run", ok=False)
    answers = answer_with_reports([other, sent], sub_runs, "t")
    assert answers[0] is other
    assert str(answers[1].text).startswith("found\n\n[explore-2: killed]\n")
    assert [row.status for row in sub_runs.list_sub_runs("t")] == ["done", "killed"]
