import pytest

from maxagent.cli.repl.session.context_warning import build_warning
from maxagent.sdk.events import TokenUsage


@pytest.mark.parametrize(
    ("window", "length", "limit", "words"),
    [
        (80_000, 128_000, 100_000, ""),
        (90_000, 128_000, 100_000, "holds 90,000 tokens and is compacted at 100,000."),
        (115_000, 128_000, 0, ""),
        (116_000, 128_000, 0, "116,000 of 128,000 tokens. Run `/compact`"),
        (5_000, 0, 0, ""),
    ],
)
def test_warning_comes_before_the_limit(window: int, length: int, limit: int, words: str) -> None:
    usage = TokenUsage(1, 1, 1, 0, None, window, length)
    warning = build_warning(usage, limit)
    assert words in warning and bool(words) == bool(warning)
