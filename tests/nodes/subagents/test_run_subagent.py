from pathlib import Path

from maxagent.nodes.subagents.run_subagent import MAX_SENT_REPORT, shorten_report


def test_short_report_is_whole_and_not_stored(tmp_path: Path) -> None:
    assert shorten_report("found", tmp_path / "outputs", "explore-1") == "found"
    assert not (tmp_path / "outputs").exists()


def test_long_report_is_cut_and_stored_whole(tmp_path: Path) -> None:
    text = "line\n" * MAX_SENT_REPORT
    output = shorten_report(text, tmp_path / "outputs", "explore-1")
    assert len(output) == MAX_SENT_REPORT and output.endswith("id `explore-1` has all of it.]")
    assert (tmp_path / "outputs/explore-1.txt").read_text() == text
