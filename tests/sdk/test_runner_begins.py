"""What a run finds when it begins: the request, the folder, its trust and the sandbox."""

import json

import pytest
from repair_project import BROKEN, DONE, READ, REPAIR, calls, last_of

from maxagent import Answer, trust
from maxagent.config.errors import UsageError
from maxagent.sdk.startup_notices import IGNORED_INSTRUCTIONS


@pytest.mark.parametrize("request_", ["", "  \n"])
async def test_empty_task_is_refused_before_thread_exists(runner, project, request_):
    with pytest.raises(UsageError):
        await last_of(runner.task(request_, folder=project))
    assert runner.threads.list() == []


@pytest.mark.parametrize("folder", ["\udcff", "loop", "a" * 5000])
async def test_unusable_folder_is_refused_before_thread_exists(runner, tmp_path, folder):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError):
        await last_of(runner.task("repair", folder=tmp_path / folder))
    assert runner.threads.list() == []


async def test_invalid_utf8_request_refused_before_thread_exists(runner, project):
    with pytest.raises(UsageError, match="UTF-8"):
        await last_of(runner.task("\udcff", folder=project))
    assert runner.threads.list() == []


async def test_task_starts_by_naming_project_settings(runner, project, play):
    (project.parent / "AGENTS.md").write_text("above")
    (project.parent / ".git").mkdir()
    (project / "AGENTS.md").write_text("@more.md")
    (project / "more.md").write_text("more")
    trust(project.parent, runner.home)
    (project / ".llc.yaml").write_text("security: {mode: auto}\nlanguage: en\n")
    trust(project, runner.home)
    for file in (project.parent / "AGENTS.md", project / "more.md"):
        file.write_text("changed")
    script = play(calls([READ], [REPAIR], [DONE]), mode="")
    events = [e async for e in runner.task("repair", folder=project, options=script)]
    message = [event.text for event in events if event.type == "notice"]
    sets = "this project's settings apply: the approval mode is `auto`"
    assert sets in message
    (output,) = [
        item for item in message if item.startswith(IGNORED_INSTRUCTIONS.partition("{")[0])
    ]
    assert (
        f"ignored: `{project.parent / 'AGENTS.md'}`; `more.md`; review them with `mcode trust`, or"
        in output
    )
    assert f"; run `mcode trust {project.parent}` to review" in output
    events = [e async for e in runner.resume(events[-1].thread_id)]
    assert output in [event.text for event in events if event.type == "notice"]


async def test_project_settings_are_said_once(runner, project, play):
    script = play(calls([DONE]), mode="")
    for settings, effects in (
        ("security: {mode: auto}", ["the approval mode is `auto`"]),
        ("security: {mode: auto}", []),
        ("security: {mode: auto, command_whitelist: [make all]}", [
            "the approval mode is `auto`; these commands run without asking: `make all`"]),
        ("language: en", []),
        ("sandbox: {mode: off}", ['`sandbox.mode` `off`']),
    ):  # fmt: skip
        (project / ".llc.yaml").write_text(settings)
        trust(project, runner.home)
        events = [e async for e in runner.task("repair", folder=project, options=script)]
        texts = [event.text for event in events if event.type == "notice"]
        head = "this project's settings apply: "
        assert [each.removeprefix(head) for each in texts if each.startswith(head)] == effects


ALLOWED = "these calls run without asking: "
MANY = [f"run_command(make target-{number}:*)" for number in range(9)]


@pytest.mark.parametrize(
    ("user", "settings", "effects"),
    [
        ({"allow": MANY}, {"permissions": {"allow": ["run_command(curl:*)"]}},
         f"{ALLOWED}`run_command(curl:*)`"),
        ({"allow": MANY, "deny": ["read_file"]}, {"permissions": {"ask": ["edit"]}},
         "you are asked about `edit`"),
        ({"allow": MANY}, {"language": "en"}, ""),
        ({}, {"permissions": {"allow": [*MANY, "run_command(bash:*)"]}},
         f"{ALLOWED}{', '.join(f'`{rule}`' for rule in MANY)}, `run_command(bash:*)`"),
        ({}, {"security": {"ignore_patterns": ["*.key"]}}, '`security.ignore_patterns` `*.key`'),
        ({}, {"security": {"exclude_files": ["x" * 300]}},
         f"`security.exclude_files` `{'x' * 200}…`"),
    ],
)  # fmt: skip
async def test_said_settings_are_the_projects_own(runner, project, play, user, settings, effects):
    (runner.home / "config.yaml").write_text(json.dumps({"permissions": user}))
    (project / ".llc.yaml").write_text(json.dumps(settings))
    trust(project, runner.home)
    notices = await find_said(runner, project, play)
    assert notices == ([effects] if effects else [])


async def find_said(runner, project, play):
    """What the next run says of the project's settings."""
    head, script = "this project's settings apply: ", play(calls([DONE]), mode="")
    events = [e async for e in runner.task("repair", folder=project, options=script)]
    texts = [event.text for event in events if event.type == "notice"]
    return [each.removeprefix(head) for each in texts if each.startswith(head)]


@pytest.mark.parametrize(
    "stored", ["[]", "3", "null", '"x"', '{"/": []}', "{", "[" * 9_000, "\x00"]
)
async def test_damaged_note_of_said_settings_is_replaced(runner, project, play, stored):
    (runner.home / "said-settings.json").write_text(stored)
    (project / ".llc.yaml").write_text("security: {mode: auto}")
    trust(project, runner.home)
    both = [await find_said(runner, project, play) for _ in range(2)]
    assert both == [["the approval mode is `auto`"], []]


async def test_each_new_allowance_is_said(runner, project, play):
    (runner.home / "config.yaml").write_text(json.dumps({"permissions": {"allow": MANY}}))
    rules = [*MANY[:5], "run_command(curl:*)", "run_command(bash:*)"]
    for count in range(1, len(rules) + 1):
        (project / ".llc.yaml").write_text(json.dumps({"permissions": {"allow": rules[:count]}}))
        trust(project, runner.home)
        (notices,) = await find_said(runner, project, play)
        assert notices.endswith(f"`{rules[count - 1]}`")


async def test_the_folder_may_be_given_as_text(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=str(project), options=script))
    assert end.outcome == "verified"


async def test_only_empty_folder_is_trusted_at_once(tmp_path, runner, play):
    for name in ("empty", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / "file").write_text("")
    script = play(calls([DONE]))
    ends = {}
    for name in ("empty", "other"):
        events = [e async for e in runner.task("x", folder=tmp_path / name, options=script)]
        message = [e.text for e in events if e.type == "notice" and "not trusted" in e.text]
        ends[name] = (events[-1].evidence["reason"][:13], len(message))
    assert ends == {"empty": ("no tests were", 0), "other": ("the folder is", 1)}


async def test_trust_applies_next_run_until_files_change(tmp_path, runner, project, play):
    (project / "AGENTS.md").write_text("x")
    script, outcomes = play(calls([READ], [REPAIR], [DONE])), []
    for number in range(3):
        (project / "numbers_.py").write_text(BROKEN)
        end = await last_of(runner.task("repair", folder=project, options=script))
        outcomes.append(end.outcome)
        if number == 0:
            trust(project, tmp_path / "home")
        else:
            (project / "AGENTS.md").write_text("y")
    assert outcomes == ["unverified", "verified", "unverified"]


async def test_running_run_keeps_its_loaded_configuration(runner, project, play):
    ask = {"name": "ask_user", "args": {"question": "Which?"}}
    script = play(calls([READ], [REPAIR], [ask], [DONE]))
    asked = await last_of(runner.task("repair", folder=project, options=script))
    (project / "AGENTS.md").write_text("written meanwhile")
    answer = Answer(text="a", question=asked.id)
    end = await last_of(runner.resume(asked.thread_id, answer))
    assert end.outcome == "verified"


async def test_resume_after_change_is_untrusted_and_names_change(runner, project, play):
    ask = {"name": "ask_user", "args": {"question": "Which?"}}
    script = play(calls([READ], [REPAIR], [ask], [DONE]))
    asked = await last_of(runner.task("repair", folder=project, options=script))
    (project / "AGENTS.md").write_text("from elsewhere")
    events = [e async for e in runner.resume(asked.thread_id, Answer(text="a"))]
    message = [event.text for event in events if event.type == "notice"]
    assert any("`AGENTS.md` appeared" in text for text in message)
    assert events[-1].outcome == "unverified"


@pytest.mark.parametrize(("mode", "message"), [("auto", 1), ("off", 0)])
async def test_a_run_without_a_sandbox_says_so_once(
    runner, project, play, tmp_path, monkeypatch, mode, message
):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.yaml").write_text(f"sandbox: {mode}\n")
    monkeypatch.delenv("MAXAGENT_SANDBOX__MODE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    run = runner.task("repair double", folder=project, options=play(calls([REPAIR], [DONE])))
    events = [event async for event in run]
    assert events[0].sandbox.startswith("none: ")
    notices = [event.text for event in events if event.type == "notice"]
    assert sum("no sandbox: bubblewrap is not installed" in text for text in notices) == message


async def test_missing_required_sandbox_fails_before_thread_exists(
    runner, project, play, tmp_path, monkeypatch
):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.yaml").write_text("sandbox: require\n")
    monkeypatch.delenv("MAXAGENT_SANDBOX__MODE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="a sandbox is required"):
        await last_of(runner.task("repair", folder=project, options=play(calls([DONE]))))
    assert runner.threads.list() == []


async def test_unusable_agent_fails_before_message_is_stored(runner, project, tmp_path):
    script = tmp_path / "talk.json"
    script.write_text(json.dumps({"build": [{"text": "First."}, {"text": "Third."}]}))
    options = {"model": f"scripted/{script}"}
    process = await last_of(runner.chat("one", folder=project, options=options))
    config = runner.home / "config.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("tools: {disabled: [nonsense]}\n")
    with pytest.raises(UsageError, match="nonsense"):
        await last_of(runner.say(process.thread_id, "two"))
    config.write_text("")
    end = await last_of(runner.say(process.thread_id, "three"))
    assert end.outcome == "answered" and runner.threads.get(process.thread_id).status == "idle"
