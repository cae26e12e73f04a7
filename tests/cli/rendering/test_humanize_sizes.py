import pytest

from maxagent.cli.rendering.humanize_sizes import readable


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (3_450_000, "3.5 MB"), (2e9, "2.0 GB")],
)
def test_bytes_are_shown_in_the_largest_unit(count: int, text: str) -> None:
    assert readable(count) == text
