"""A retrieval server in a conversation: offered, asked, its answer a stranger's."""

from program import Program
from provider import Provider, Request

ASKS = {"tool_calls": [{"name": "use_rag_tool", "args": {"query": "How is the port set?"}}]}
FOUND = "The port is set by PORT_OF_DOCS in settings.ini."
NOTES = {"tool_calls": [{"name": "record_note", "args": {"content": FOUND}}]}


def configured(program: Program, url: str) -> None:
    program.home.mkdir(exist_ok=True)
    (program.home / "config.yaml").write_text(
        "rag:\n  servers:\n    docs:\n"
        f"      base_url: {url}\n      api_key: ${{RAG_KEY}}\n      description: the manual\n"
    )


def test_a_server_is_offered_asked_and_distrusted(program: Program, provider: Provider) -> None:
    configured(program, provider.url)
    answers = iter([ASKS, NOTES, {"text": "Done."}])

    def answer(request: Request) -> dict[str, object]:
        if request.headers.get("Authorization") == "Bearer Zq8-key-of-the-manual":
            return {"text": FOUND}
        return next(answers)

    provider.script(answer)
    asked = program.chat("how?", RAG_KEY="Zq8-key-of-the-manual")
    (offered,) = [
        tool["function"]
        for tool in provider.requests[0].whole["tools"]
        if tool["function"]["name"] == "use_rag_tool"
    ]
    assert offered["description"].endswith("- docs: the manual")
    question = asked.last["action_requests"][0]
    assert (asked.code, question["name"]) == (4, "use_rag_tool")
    assert provider.url in question["description"]
    ended = program.resume(asked.last["thread_id"], "--approve", RAG_KEY="Zq8-key-of-the-manual")
    assert ended.code == 0, ended.stderr
    noted = [event for event in ended.told("tool_result") if event["tool"] == "record_note"]
    assert not noted[0]["ok"]  # the words are the server's, not the user's
    assert "Zq8-key-of-the-manual" not in ended.stdout + asked.stdout


def test_without_servers_the_first_request_stays_small(
    program: Program, provider: Provider
) -> None:
    provider.script([{"text": "Hi."}])
    program.chat("hello")
    assert len(provider.requests[0].raw) <= 24_000
    names = [tool["function"]["name"] for tool in provider.requests[0].whole["tools"]]
    assert "use_rag_tool" not in names and "list_code_definitions" in names
