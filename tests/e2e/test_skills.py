"""Skills in real runs: listed, loaded by the model or the user, kept through a compaction."""

import json
from pathlib import Path
from typing import Any

import pytest
from program import Program
from provider import Provider, Request

from maxagent import trust


def call(tool: str, **args: object) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "args": args}]}


def results(request: Request) -> list[str]:
    return [item["content"] for item in request.body["messages"] if item["role"] == "tool"]


def add_skill(target_path: Path, name: str, body: str = "Count the sheep.", **keys: str) -> Path:
    folder = target_path / name
    folder.mkdir(parents=True, exist_ok=True)
    above = {"name": name, "description": f"Use it for {name}.", **keys}
    lines = [f"{key}: {value}" for key, value in above.items()]
    text = "\n".join(["---", *lines, "---", "", body, ""])
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    return folder


def user_place(program: Program) -> Path:
    return Path(program.environ["HOME"]) / ".claude" / "skills"


@pytest.mark.parametrize("text", [".claude/skills", "home/skills"])
def test_skill_is_listed_loaded_and_its_script_runs(
    program: Program, provider: Provider, text: str
) -> None:
    folder = add_skill(Path(program.environ["HOME"]) / text, "sheep")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "count.sh").write_text("echo seventeen sheep\n")
    (folder / "secret.pem").write_text("-----BEGIN PRIVATE KEY-----\n")
    (folder / "out").symlink_to("/etc/passwd")
    script = f"{folder}/scripts/count.sh"
    provider.script(
        [
            call("get_skill", name="sheep"),
            call("read_file", path=script),
            call("grep", regex="seventeen", path=str(folder)),
            call("list_files", path=str(folder)),
            call("read_file", path=f"{folder}/secret.pem"),
            call("read_file", path=f"{folder}/out"),
            call("write_file", path=f"{folder}/new.txt", content="x"),
            call("run_command", command=f"sh {script}"),
            call("get_skill", name="sheep"),
            {"text": "Done."},
        ]
    )
    ended = program.chat("count", "--mode", "auto")
    assert ended.code == 0, ended.stderr
    message = provider.requests[0].whole["messages"][1]["content"]
    assert "- sheep: Use it for sheep." in message and "- maxagent: " in message
    loaded, read, result, entries, key, link, written, run, again = results(provider.requests[-1])
    assert f'<skill name="sheep" folder="{folder}">\nCount the sheep.\n</skill>' in loaded
    assert "scripts/count.sh" in loaded and "secret" not in loaded and "out" not in loaded
    assert "echo seventeen sheep" in read and result == f"{script}:1: echo seventeen sheep"
    assert entries.splitlines() == [f"{folder}/SKILL.md", f"{folder}/scripts/"]
    assert "ignore patterns" in key and "outside the project" in link
    assert "outside the project" in written and not (folder / "new.txt").exists()
    assert "seventeen sheep" in run and "Error" not in run
    assert "loaded already" in again


def test_user_loads_a_hidden_skill_by_name(program: Program, provider: Provider) -> None:
    hidden = {"disable-model-invocation": "true"}
    add_skill(user_place(program), "night", "Sleep well.", **hidden)
    add_skill(user_place(program), "day", "Rise.", **{"user-invocable": "false"})
    provider.script([{"text": "Good."}] * 3)
    ended = program.chat("/night until nine")
    assert "loaded the skill `night`" in [item["text"] for item in ended.told("notice")]
    full_text = provider.requests[-1].whole["messages"]
    assert "night" not in full_text[1]["content"] and "- day: " in full_text[1]["content"]
    assert (
        "Sleep well." in full_text[-2]["content"]
        and full_text[-1]["content"] == "/night until nine"
    )
    program.chat("/night again", "--continue")
    assert json.dumps(provider.requests[-1].whole["messages"]).count("Sleep well.") == 1
    program.chat("/day", "--continue")
    assert "Rise." not in str(provider.requests[-1].whole)


def test_tool_bytes_stay_the_same_with_skills(program: Program, provider: Provider) -> None:
    provider.script([{"text": "ok"}] * 2)
    program.chat("one")
    add_skill(user_place(program), "sheep")
    program.chat("two")
    first, second = (request.whole for request in provider.requests)
    assert first["tools"] == second["tools"]
    assert first["messages"][0] == second["messages"][0]
    assert "sheep" in second["messages"][1]["content"]


def test_project_skill_needs_trust_and_says_what_it_replaces(
    program: Program, provider: Provider
) -> None:
    own = add_skill(user_place(program), "sheep", "Mine.")
    add_skill(program.project / ".claude" / "skills", "sheep", "The project's.")
    provider.script([call("get_skill", name="sheep"), {"text": "ok"}] * 2)
    program.chat("one")
    assert "Mine." in results(provider.requests[-1])[0]
    trust(program.project, program.home)
    ended = program.chat("two")
    assert "The project's." in results(provider.requests[-1])[0]
    output = [item["text"] for item in ended.told("notice")]
    assert f"the project's skill `sheep` replaces `{own}/SKILL.md`" in output


def test_changed_skill_is_reported_once(program: Program, provider: Provider) -> None:
    add_skill(user_place(program), "sheep")
    provider.script([call("get_skill", name="sheep"), {"text": "ok"}])
    program.chat("one")
    add_skill(user_place(program), "sheep", "Count the goats.")
    provider.script([{"text": "ok"}, call("get_skill", name="sheep"), {"text": "ok"}])
    program.chat("two", "--continue")
    program.chat("three", "--continue")
    text = json.dumps(provider.requests[-1].whole["messages"])
    assert text.count("has changed on the disk") == 1
    assert "Count the goats." in results(provider.requests[-1])[-1]


class Reader:
    """Loads two skills, then reads long files until the window was full."""

    def __init__(self, files: int) -> None:
        self.files, self.steps = files, 0
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> dict[str, Any]:
        self.bodies.append(request.body)
        self.steps += 1
        size = len(request.raw) // 4
        usage = {"prompt_tokens": size, "completion_tokens": 9, "total_tokens": size + 9}
        if self.steps == 1:
            return {"usage": usage, **call("get_skill", name="sheep")}
        if self.steps <= self.files:
            return {"usage": usage, **call("read_file", path=f"f{self.steps}.txt")}
        return {"usage": usage, "text": "Done."}


def test_skills_stay_through_compaction_resume_and_fork(
    program: Program, provider: Provider
) -> None:
    add_skill(user_place(program), "sheep", "Count the sheep first.")
    add_skill(user_place(program), "night", "Sleep well.")
    program.home.mkdir(exist_ok=True)
    limits = "context_length: 20000, max_tokens: 2000"
    (program.home / "config.yaml").write_text(
        f"model: {{models: {{served: {{{limits}}}}}}}\ncontext: {{model: none}}\n"
    )
    for number in range(1, 30):
        lines = (f"line {number}.{line} of a file that says nothing\n" for line in range(120))
        (program.project / f"f{number}.txt").write_text("".join(lines))
    model = Reader(25)
    provider.script(model)
    ended = program.chat("/night count", "--mode", "auto")
    assert ended.code == 0 and len(ended.told("compaction_finished")) > 1
    thread = ended.events[0]["thread_id"]
    copy = program.chat("and now?", "--resume", thread, "--fork")
    again = program.chat("once more", "--resume", thread)
    assert (copy.code, again.code) == (0, 0)
    for body in (*model.bodies[2:], model.bodies[-2], model.bodies[-1]):
        text = json.dumps(body["messages"])
        assert text.count("Count the sheep first.") == 1
        assert text.count("Sleep well.") == 1
    view = [str(item["content"]) for item in model.bodies[-1]["messages"]]
    assert any(item.startswith("[Skills that were loaded before.") for item in view)


def test_agent_has_its_skills_from_the_beginning(program: Program, provider: Provider) -> None:
    add_skill(user_place(program), "sheep")
    file = program.home / "agents" / "shepherd.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nskills: [sheep, goats]\n---\nYou herd.\n")
    provider.script([{"text": "ok"}])
    assert program.chat("hello", "--agent", "shepherd").code == 0
    system = provider.requests[0].whole["messages"][0]["content"]
    assert "Count the sheep." in system and "the skill `goats`, which is not there" in system


def test_skill_is_loaded_by_hand(program: Program) -> None:
    folder = add_skill(user_place(program), "sheep")
    called = program.run("tools", "call", "get_skill", '{"name": "sheep"}')
    assert (called.code, "Count the sheep." in called.stdout) == (0, True)
    path = json.dumps({"path": f"{folder}/SKILL.md"})
    assert "Count the sheep." in program.run("tools", "call", "read_file", path).stdout
    wrong = program.run("tools", "call", "get_skill", '{"name": "shep"}')
    assert (wrong.code, "there are: sheep" in wrong.stdout + wrong.stderr) == (1, True)


def test_small_window_has_neither_list_nor_tool(program: Program, provider: Provider) -> None:
    program.home.mkdir(exist_ok=True)
    limits = "context_length: 7000, max_tokens: 500"
    (program.home / "config.yaml").write_text(f"model: {{models: {{served: {{{limits}}}}}}}\n")
    provider.script([{"text": "ok"}])
    program.chat("hello")
    assert "get_skill" not in str(provider.requests[0].whole)


def test_switched_off_tool_leaves_no_list(program: Program, provider: Provider) -> None:
    provider.script([{"text": "ok"}])
    program.chat("hello", LLC_TOOLS__DISABLED="[get_skill]")
    assert "skill" not in str(provider.requests[0].whole)
