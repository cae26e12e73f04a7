import pytest

from maxagent.cli.rendering.transcript import show_transcript
from maxagent.sdk.threads.transcript import TranscriptEntry


@pytest.mark.parametrize(
    ("ok", "facts", "shown"),
    [
        (True, {}, "  ✓ run_command make\n"),
        (False, {}, "  ✗ run_command make\n    not yet\n"),
        (True, {"answered": True}, "  ✗ run_command make\n    not run; you answered: not yet\n"),
    ],
)
def test_call_is_shown_with_its_outcome(
    ok: bool, facts: dict[str, object], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call = TranscriptEntry(
        "call", "", tool="run_command", args={"command": "make"}, ok=ok, result="not yet",
        facts=facts,
    )  # fmt: skip
    show_transcript([call], diffs=False)
    assert capsys.readouterr().out.endswith(shown)
