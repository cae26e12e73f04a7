import pytest

from maxagent.cli.rendering.transcript import show_transcript
from maxagent.sdk.threads.transcript import TranscriptEntry


@pytest.mark.parametrize(
    ("ok", "facts", "text"),
    [
        (True, {}, "  ✓ run_command make\n"),
        (False, {}, "  ✗ run_command make\n    not yet\n"),
        (True, {"answered": True}, "  ✗ run_command make\n    not run; you answered: not yet\n"),
    ],
)
def test_call_is_shown_with_its_outcome(
    ok: bool, facts: dict[str, object], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call = TranscriptEntry(
        "call", "", tool="run_command", args={"command": "make"}, ok=ok, result="not yet",
        facts=facts,
    )  # fmt: skip
    show_transcript([call], diffs=False)
    assert capsys.readouterr().out.endswith(text)


def test_question_of_a_pull_request_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    question = TranscriptEntry(
        "question", "", "it opens a request", tool="pull_request",
        args={"repository": "host/a/b", "body": "Say new.\n\n- a.txt\n", "mixed": ["a.txt", "b"]},
        facts={"diff": "+new"}, question="0123456789",
    )  # fmt: skip
    show_transcript([question], diffs=False)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "waiting for an answer to  01234567",
        "  ? pull_request host/a/b",
        "    it opens a request",
        "    repository: host/a/b",
        "    body: Say new.",
        "",
        "      - a.txt",
        "    mixed: a.txt, b",
        "    +new",
    ]
