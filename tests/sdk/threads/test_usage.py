"""TODO: what this is."""

import json

from repair_project import last_of

from maxagent import trust
from maxagent.sdk.threads.usage import read_nested_instructions


async def test_nested_instructions_listed_once_without_ignored_ones(runner, project, tmp_path):
    assert read_nested_instructions("nothing", runner.home) == []
    for name in ("sub/AGENTS.md", "new/AGENTS.md", "sub/a.txt", "new/a.txt"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(name)
        if name == "sub/AGENTS.md":
            trust(project, runner.home)
    reads = [
        {"tool_calls": [{"name": "read_file", "args": {"path": path}}]}
        for path in ("sub/a.txt", "new/a.txt", "sub/a.txt")
    ]
    script = tmp_path / "scenario.json"
    script.write_text(json.dumps({"build": [*reads, {"text": "Seen."}]}))
    options = {"model": f"scripted/{script}", "apply": True}
    last = await last_of(runner.chat("look", folder=project, options=options))
    assert read_nested_instructions(last.thread_id, runner.home) == ["sub/AGENTS.md"]
