from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import ApprovalMode
from maxagent.sdk.studio.client_context import MODE_VARIABLE, ClientContext

OWN = "litellm: {base_url: https://llm.example/v1}\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    (tmp_path / "config.yaml").write_text(OWN)
    return tmp_path


@pytest.mark.parametrize(
    ("started", "configured", "expected", "holds"),
    [
        ("", "", "auto", "edits"),
        ("", "", "ask", "ask"),
        ("", "auto", "auto", "auto"),
        ("", "ask", "edits", "ask"),
        ("auto", "ask", "auto", "auto"),
        ("ask", "auto", "auto", "ask"),
        ("ask", "", "read-only", "read-only"),
        ("unknown", "", "auto", "edits"),
    ],
)
def test_the_stricter_mode_holds(
    started: str, configured: str, expected: ApprovalMode, holds: ApprovalMode, home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv(MODE_VARIABLE, started)
    if configured:
        (home / "config.yaml").write_text(f"security: {{mode: {configured}}}\n")
    assert ClientContext().restrict_mode(expected) == holds


@pytest.mark.parametrize("base_url", ["", "https://llm.example/v1", " https://llm.example/v1 "])
def test_the_users_own_endpoint_may_be_asked(base_url: str) -> None:
    ClientContext().check_endpoint(base_url)


@pytest.mark.parametrize("base_url", ["https://llm.example", "http://127.0.0.1:1/v1"])
def test_another_endpoint_is_refused(base_url: str) -> None:
    with pytest.raises(UsageError, match="not an endpoint in your configuration"):
        ClientContext().check_endpoint(base_url)


@pytest.mark.parametrize("name", ["home", "base_url"])
def test_neither_home_nor_endpoint_can_be_named(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        ClientContext(**{name: "/elsewhere"})
