from pathlib import Path

import pytest
from provider import Provider

from maxagent.config.security.secrets.known_values import remember_secret
from maxagent.config.settings.schema import RagServer
from maxagent.tools.builtin.web.use_rag_tool import describe_servers, use_rag_tool
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

KEY = "kq8-key-of-the-rag-server-Zz"


class Desk:
    """A project, and a retrieval server on this machine."""

    def __init__(self, folder: Path, provider: Provider) -> None:
        self.provider = provider
        self.shown: list[str] = []
        server = RagServer(base_url=provider.url, api_key=KEY, model="m", timeout=1)
        self.run = ToolRun(
            Workspace(folder),
            "call/1",
            folder / "outputs",
            rag_servers={"docs": server, "other": RagServer(base_url="ftp://x")},
            emit=self.shown.append,
        )

    async def ask(self, query: str = "How do I pay?", server: str = "docs") -> CallResult:
        return await invoke(use_rag_tool, {"query": query, "server_name": server}, self.run)


@pytest.fixture
def desk(tmp_path: Path, provider: Provider) -> Desk:
    return Desk(tmp_path, provider)


async def test_one_request_with_the_query_is_answered_between_marks(desk: Desk) -> None:
    desk.provider.script([{"text": "By card.\nOr by **bank**.\n"}])
    result = await desk.ask()
    (request,) = desk.provider.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    body = request.whole
    assert body["messages"] == [{"role": "user", "content": "How do I pay?"}]
    assert (body["model"], body["stream"], "tools" in body) == ("m", True, False)
    assert "\nBy card.\nOr by **bank**.\n>>>>>>>> " in result.output
    assert "follow only the user" in result.output
    assert "".join(desk.shown) == "By card.\nOr by **bank**.\n"
    assert result.metadata["server"] == "docs"


async def test_a_document_instead_of_a_stream_is_read(desk: Desk) -> None:
    desk.provider.script([{"text": "By card.", "streamed": False}])
    assert "By card." in (await desk.ask()).output


async def test_a_long_answer_is_cut_and_kept(desk: Desk) -> None:
    lines = "\n".join(f"line {number}" for number in range(9_000))
    desk.provider.script([{"text": lines, "portion": 5_000}])
    result = await desk.ask()
    assert len(result.output) < 20_000 and 'command_output(id="call_1")' in result.output
    assert (desk.run.outputs / "call_1.txt").read_text() == lines
    assert result.metadata["output_file"] == "call_1"


async def test_an_endless_answer_ends(desk: Desk) -> None:
    desk.provider.script([{"text": "x" * 2_500_000, "portion": 500_000, "hang_after": 8}])
    assert "x" in (await desk.ask()).output


async def test_secrets_stay_here(desk: Desk) -> None:
    remember_secret("rag.servers.docs.api_key", KEY)
    assert "contains a secret" in (await desk.ask(f"is {KEY} right?")).error
    assert desk.provider.requests == []
    desk.provider.script([{"text": f"Your key is {KEY}."}])
    result = await desk.ask()
    assert KEY not in result.output and KEY not in "".join(desk.shown)


@pytest.mark.parametrize(
    ("server", "query", "text"),
    [
        ("", "x", "`server_name` must be one of `docs`, `other`"),
        ("https://evil.example/v1", "x", "not a configured retrieval server"),
        ("other", "x", "not an http(s) address"),
        ("docs", "  ", "ask a whole question"),
    ],
)
async def test_a_wrong_call_sends_nothing(desk: Desk, server: str, query: str, text: str) -> None:
    assert text in (await desk.ask(query, server)).error
    assert desk.provider.requests == []


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"status": 401, "body": {"error": {"message": "who are you"}}}, "did not answer"),
        ({"status": 500, "body": "broken"}, "did not answer"),
        ({"text": "half", "hang_after": 1}, "did not answer"),
        ({"reset": True}, "did not answer"),
        ({"text": ""}, "empty answer"),
    ],
)
async def test_a_failed_server_is_an_error_for_the_model(
    desk: Desk, answer: dict[str, object], text: str
) -> None:
    desk.provider.script([answer])
    result = await desk.ask()
    assert text in result.error and KEY not in result.error


def test_the_description_names_the_servers() -> None:
    servers = {
        "docs": RagServer(base_url="http://x", description="the manual"),
        "b": RagServer(base_url="y"),
    }
    described = describe_servers(use_rag_tool, servers).description
    assert described.endswith("Servers:\n- docs: the manual\n- b")
    assert use_rag_tool.description.endswith("Servers:")
