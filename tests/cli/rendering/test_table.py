from maxagent.cli.rendering.table import align_columns


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    rows = [["id", "标题", "end"], ["long one", "x", ""]]
    assert align_columns(rows) == ["id        标题  end", "long one  x"]
