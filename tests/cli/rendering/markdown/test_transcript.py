import pytest

from maxagent.cli.rendering.markdown.transcript import format_markdown
from maxagent.sdk.threads.transcript import TranscriptEntry

AT = "2026-01-01T00:00:00+00:00"
KEY = "sk-" + "a1B2" * 12


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ([], "# T\n"),
        ([TranscriptEntry("human", AT, "hi")], "# T\n\n## you\n\nhi\n"),
        (
            [
                TranscriptEntry("answer", AT, "a", "build"),
                TranscriptEntry("answer", AT, "b", "build"),
            ],
            "# T\n\n## build\n\na\n\nb\n",
        ),
        (
            [TranscriptEntry("call", AT, tool="list_files", args={"path": "`x`"})] * 2,
            "# T\n\n- `list_files 'x'`\n- `list_files 'x'`\n",
        ),
        ([TranscriptEntry("mode", AT, "plan"), TranscriptEntry("outcome", AT, "x")], "# T\n"),
        ([TranscriptEntry("human", AT, "a\x1b[2J")], "# T\n\n## you\n\na\\x1b[2J\n"),
    ],
)
def test_conversation_as_markdown(entries: list[TranscriptEntry], text: str) -> None:
    assert format_markdown("T", entries) == text


def test_secrets_are_redacted() -> None:
    assert KEY not in format_markdown(KEY, [TranscriptEntry("human", AT, KEY)])
