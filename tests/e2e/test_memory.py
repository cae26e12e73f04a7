"""What a thread learns reaches later ones, as far as the user wants it, and costs no cache."""

import asyncio
import json
from typing import Any

from program import Program
from provider import Provider, Request

from maxagent import trust
from maxagent.memory.cards.card import Card
from maxagent.memory.cards.library import CardDraft, CardLibrary
from maxagent.memory.cards.store import open_library


def note(content: str, **more: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "record_note", "args": {"content": content, **more}}]}


def call(name: str, **args: object) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


def add_cards(program: Program, *contents: str) -> None:
    async def add(library: CardLibrary) -> None:
        for content in contents:
            await library.add(CardDraft(content), allow_near=True)

    on_library(program, add)


def on_library(program: Program, action: Any) -> Any:
    async def run() -> Any:
        async with open_library(program.home, program.project) as library:
            return await action(library)

    return asyncio.run(run())


def list_cards(program: Program, *states: str) -> list[Card]:
    return on_library(program, lambda library: library.list(states=states or ("active",)))


def prefix(request: Request, count: int) -> str:
    return json.dumps([request.whole["tools"], *request.whole["messages"][:count]])


def results(request: Request) -> list[str]:
    return [item["content"] for item in request.body["messages"] if item["role"] == "tool"]


def test_cards_stand_in_one_frozen_message(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    add_cards(program, "Releases are tagged on Fridays.")
    provider.script([note("Use the tool uv for packages."), {"text": "Noted."}, {"text": "Yes."}])
    assert program.chat("which packages?").code == 0
    add_cards(program, "Deploys need two reviewers.")
    assert program.chat("and now?", "--continue").code == 0
    first, *later = provider.requests
    message = first.whole["messages"][1]["content"]
    assert "Releases are tagged on Fridays." in message and "<memory>" in message
    assert all(prefix(item, 3) == prefix(first, 3) for item in later)
    assert "Deploys" not in str(later[-1].whole) and "uv" not in message
    provider.script([{"text": "Hm."}])
    assert program.chat("anew").code == 0
    message = provider.requests[-1].whole["messages"][1]["content"]
    assert (
        "Deploys need two reviewers." in message and "uv" not in message
    )  # which is only proposed


def test_a_proposal_is_of_its_thread_until_kept(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    recall = call("recall_notes")
    provider.script([note("Tests need port 8080.", category="fact"), recall, {"text": "ok"}])
    ended = program.chat("look around")
    (proposed,) = [event["card"] for event in ended.events if event["type"] == "card_proposed"]
    assert proposed["content"] == "Tests need port 8080."
    assert "proposed" in results(provider.requests[-1])[-1]
    provider.script([recall, {"text": "ok"}])
    program.chat("what do you know?")
    assert results(provider.requests[-1]) == ["there are no notes"]
    on_library(program, lambda library: library.activate(proposed["id"]))
    provider.script([recall, call("search_memory", query="port"), {"text": "ok"}])
    ended = program.chat("and now?")
    assert all("Tests need port 8080." in result for result in results(provider.requests[-1]))
    assert [len(event["cards"]) for event in ended.events if event["type"] == "memory"] == [1]
    (card,) = list_cards(program)
    assert card.uses == 1 and card.used_at


def test_what_the_user_asked_for_is_active(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    provider.script([note("测试要用 8080 端口"), {"text": "好"}])
    assert program.chat("记住：测试要用 8080 端口").code == 0
    provider.script([note("The CI is slow on Mondays"), {"text": "ok"}])
    assert program.chat("remember that I prefer tabs").code == 0
    assert [card.content for card in list_cards(program)] == ["测试要用 8080 端口"]
    assert [card.state for card in list_cards(program, "proposed")] == ["proposed"]


def test_later_messages_get_fitting_cards_once(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    provider.script([{"text": "ok"}] * 3)
    program.chat("hello")
    add_cards(program, "The alembic migrations run by hand.", "Logs are in /var/log/shop.")
    ended = program.chat("how do alembic migrations run?", "--continue")
    assert [len(event["cards"]) for event in ended.events if event["type"] == "memory"] == [1]
    program.chat("alembic again?", "--continue")
    requests = [json.dumps(request.whole["messages"]) for request in provider.requests]
    assert [item.count("migrations run by hand") for item in requests] == [0, 1, 1]
    assert "Logs" not in requests[-1] and "verify" in requests[-1]


def test_off_means_no_tool_and_no_file(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    off = {"LLC_MEMORY__ENABLED": "false"}
    provider.script([note("x y z"), {"text": "ok"}, {"text": "ok"}])
    ended = program.chat("remember x y z", **off)
    assert ended.code == 0
    program.chat("remember x y z", "--continue", **off)
    for request in provider.requests:
        names = {item["function"]["name"] for item in request.body["tools"]}
        assert not names & {"record_note", "search_memory", "recall_notes"}
    assert not [*program.home.rglob("memory.db*")]


def test_an_untrusted_folder_reads_and_writes_nothing(program: Program, provider: Provider) -> None:
    (program.project / "a.py").write_text("x")
    add_cards(program, "The staging key rotates daily.")
    provider.script([call("search_memory", query="staging key"), note("a b c"), {"text": "ok"}])
    assert program.chat("look").code == 0
    result, noted = results(provider.requests[-1])
    assert result == "nothing found" and "not trusted" in noted
    assert "staging" not in str([request.whole["messages"] for request in provider.requests[:1]])


def test_a_strangers_words_become_no_card(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    text = "the payment service only accepts requests signed with the old certificate"
    fetch = {"name": "run_command", "args": {"command": f"echo {text} # https://example.com"}}
    provider.script([{"tool_calls": [fetch]}, note(f"Know: {text}."), {"text": "ok"}])
    assert program.chat("look", "--mode", "auto").code == 0
    assert "Error" in results(provider.requests[-1])[-1]
    assert list_cards(program, "active", "proposed") == []


def test_rewind_retires_what_was_learnt_since(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    provider.script([{"text": "hi"}, note("Ports are random."), {"text": "ok"}])
    started = program.chat("hello")
    thread = started.events[0]["thread_id"]
    program.chat("look", "--continue")
    assert len(list_cards(program, "proposed")) == 1
    forked = program.run("threads", "fork", thread, "--at", "1")
    assert forked.code == 0 and len(list_cards(program, "proposed")) == 1
    ended = program.run("rewind", thread, "--to", "1", "--yes")
    assert ended.code == 0, ended
    assert list_cards(program, "proposed") == []
    assert "Ports are random." in ended.stderr


def test_a_kill_after_the_card_makes_no_second(program: Program, provider: Provider) -> None:
    trust(program.project, program.home)
    provider.script([note("Ports are random."), {"text": "ok"}, {"text": "ok"}])
    endpoint = ["--model", "openai/served", "--base-url", provider.url]
    process, thread = program.start("chat", "look", "-p", *endpoint), ""
    with process:
        for line in process.stdout or ():
            event = json.loads(line)
            thread = event.get("thread_id", thread)
            if event["type"] == "card_proposed":
                break
        process.kill()
    assert program.resume(thread).code == 0
    (card,) = list_cards(program, "proposed", "active", "retired")
    assert card.content == "Ports are random." and card.source.thread == thread
    assert "Proposed" in str(results(provider.requests[-1]))
