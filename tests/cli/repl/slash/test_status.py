import asyncio
from pathlib import Path

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, trust
from maxagent.cli.repl.slash.status import describe_job
from maxagent.config.errors import UsageError
from maxagent.sdk.background import BackgroundJob
from maxagent.sdk.events import TokenUsage
from maxagent.tools.process.command_run import CommandRun
from maxagent.tools.process.launcher import ProcessExit, Sink
from maxagent.tools.process.output_capture import OutputRecorder

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"
USAGE = TokenUsage(3, 12_000, 400, 9_000, 0.0123, 25_600, 128_000)


async def test_status_shows_model_folder_and_permissions(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken.session.folder = Path(".")
    monkeypatch.chdir(spoken.project)
    output = await spoken("/status")
    assert "No conversation yet" in output and "not trusted" in output
    assert str(spoken.project) in output and "mcode " in output and "LangGraph " in output
    trust(spoken.project, spoken.home)
    spoken.begun(THREAD)
    session = spoken.session
    session.thread, session.model, session.mode = THREAD, "openai/gpt-4o", "ask"
    session.sandbox, session.plan, session.agent = "bubblewrap, no network", True, "explore"
    output = await spoken("/status")
    assert "aaaaaaaa  About aaaa" in output and "bubblewrap" in output
    assert "plan · ask · @explore" in output and "openai/gpt-4o" in output
    assert "not trusted" not in output


async def test_status_names_instruction_files_and_trust_asks_others(
    spoken: Spoken,
) -> None:
    (spoken.project / "AGENTS.md").write_text("Use tabs.")
    spoken.home.mkdir(exist_ok=True)
    (spoken.home / "notes.md").write_text("- Be brief.")
    assert f"instructions  {spoken.home / 'notes.md'}\n" in await spoken("/status")
    assert "AGENTS.md" in await spoken("/trust", typed="yes\n")
    assert f"{spoken.home / 'notes.md'}, AGENTS.md\n" in await spoken("/status")
    (spoken.project / "AGENTS.md").write_text("@sub/AGENTS.md @.env\n" + "x\n" * 20_000)
    (spoken.project / "sub").mkdir()
    for name in ("sub/AGENTS.md", ".env"):
        (spoken.project / name).write_text("x")
    await spoken("/trust", typed="yes\n")
    (spoken.project / "sub/AGENTS.md").write_text("y")
    output = await spoken("/status")
    assert "have not approved yet (`mcode trust`, `/trust`): `sub/AGENTS.md` ch" in output
    assert ".env is skipped: no tool may read it\n" in output
    assert "sub/AGENTS.md is skipped: it is new or has changed" in output
    assert "\n              AGENTS.md: 8022 bytes were cut, because the" in output
    assert f"{spoken.home / 'notes.md'}: 11 bytes were cut" in output
    (spoken.home / "config.yaml").write_text("modle: 1\n")
    assert "unknown key `modle`" in await spoken("/status")


async def test_status_names_nested_instruction_files_of_the_thread(
    spoken: Spoken, provider: Provider
) -> None:
    for name in ("sub/AGENTS.md", "sub/a.txt"):
        spoken.write(f"project/{name}", "x")
    trust(spoken.project, spoken.home)
    spoken.write(
        "home/config.yaml",
        f"model: {{default: openai/served}}\nlitellm: {{base_url: '{provider.url}'}}\n",
    )
    read = {"name": "read_file", "args": {"path": "sub/a.txt"}}
    provider.script([{"tool_calls": [read]}, {"text": "x."}])
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        await spoken.say("look")
        assert "from subfolders: sub/AGENTS.md\n" in await spoken("/status")


@pytest.mark.parametrize("line", ["/cost", "/context"])
async def test_usage_is_empty_before_the_first_answer(spoken: Spoken, line: str) -> None:
    assert await spoken(line) == "No model requests yet.\n"


async def test_cost_shows_usage_of_thread(spoken: Spoken) -> None:
    spoken.session.usage = USAGE
    assert await spoken("/cost") == (
        "3 requests; tokens: 12,000 in (9,000 cached), 400 out; cost: $0.0123\n"
    )


async def test_unknown_price_is_shown_as_unknown(spoken: Spoken) -> None:
    spoken.session.usage = TokenUsage(1, 1, 1, 0, None, 5, 0)
    assert await spoken("/cost") == (
        "1 request; tokens: 1 in (0 cached), 1 out; cost: price unknown\n"
    )


@pytest.mark.parametrize("typed", ["/CLEAR", "/Clear", "/cLea", "/clera", "/CLE"])
async def test_near_names_are_offered_in_any_case(spoken: Spoken, typed: str) -> None:
    with pytest.raises(UsageError) as refused:
        await spoken(typed)
    assert "`/clear`" in refused.value.hint


async def test_without_jobs_it_says_so(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        assert "No command runs" in await spoken("/jobs")
        spoken.session.thread = "a" * 32
        with pytest.raises(UsageError, match="no background command"):
            await spoken("/jobs output x")
        for name in ("what", "kill", "output"):
            with pytest.raises(UsageError, match="unknown or incomplete"):
                await spoken(f"/jobs {name}")
        assert spoken.session.count_jobs() == 0


async def add_ended_command(runner: Runner, thread: str, command_id: str, folder: Path) -> None:
    async def end(_: object, sink: Sink) -> ProcessExit:
        return ProcessExit(7, timed_out=False, duration=3.0)

    command = CommandRun(command_id, "make", OutputRecorder(folder, command_id))
    command.start(end)
    await runner.pool.background.open(thread).add(command)
    await command.wait()


async def test_kill_of_ended_command_says_how_it_ended(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        spoken.session.thread = thread = "a" * 32
        await add_ended_command(runner, thread, "call_12", tmp_path)
        output = await spoken("/jobs kill 12")
        assert output.startswith("make\nended after 3 s with exit code 7")


async def test_commands_of_other_conversations_are_counted(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        spoken.session.thread = "a" * 32

        async def run_on(_: object, sink: Sink) -> ProcessExit:
            await asyncio.Event().wait()
            raise AssertionError

        command = CommandRun("call_1", "make", OutputRecorder(tmp_path, "call_1"))
        command.start(run_on)
        await runner.pool.background.open("b" * 32).add(command)
        output = await spoken("/jobs")
        assert "No command runs in the background." in output
        assert "Running in the conversation bbbbbbbb: 1; `/resume bbbbbbbb`" in output


async def test_part_of_several_ids_is_refused(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        spoken.session.thread = thread = "a" * 32
        for command_id in ("call_1", "call_12"):
            await add_ended_command(runner, thread, command_id, tmp_path)
        with pytest.raises(UsageError, match="part of the IDs of 2 background commands"):
            await spoken("/jobs output call")
        assert "(no output)" in await spoken("/jobs output call_1")


@pytest.mark.parametrize(
    ("job", "text"),
    [
        (BackgroundJob("i", "c", "running", 3.2, None, True), "running for 3 s"),
        (BackgroundJob("i", "c", "ended", 3.2, 2, True), "ended after 3 s with exit code 2"),
        (BackgroundJob("i", "c", "ended", 3.2, None, True), "killed"),
        (BackgroundJob("i", "c", "killed", 3.2, None, False), "killed · outside the sandbox"),
    ],
)
def test_state_of_job_is_described(job: BackgroundJob, text: str) -> None:
    assert describe_job(job) == text
