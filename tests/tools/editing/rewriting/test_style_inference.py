"""Whether new lines stand at the request's depth or at the file's is seen from those they share."""

import pytest

from maxagent.tools.editing.matching.common_lines import find_shared_lines
from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import LineMatch
from maxagent.tools.editing.rewriting.style_inference import infer_style

TEXT = "class A:\n    def f(self):\n        go()\n        stop()\n"
STEPS = ("steps of the file", "steps of the request", "deeper steps of the request", "no base")


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        (["def f(self):", "    go()"], ["def f(self):", "    run()"], False),
        (["def f(self):", "    go()"], ["    def f(self):", "        run()"], True),
        (["    def f(self):", "        go()"], ["    def g(self):", "        go()"], True),
        (["def f(self):"], ["    def g(self):"], True),
        (["def f(self):"], ["if x:", "    def f(self):"], False),
        (["    def f(self):", "      go()"], ["    def f(self):", "        run()"], True),
        (["    def f(self):", "      go()"], ["    def f(self):", "      run()"], False),
        (
            ["    def f(self):", "      go()"],
            ["    def f(self):", "      if x:", "        y()"],
            False,
        ),
        (["def f(self):", "  go()"], ["def f(self):", "    run()"], False),
    ],
    ids=["as asked", "as in the file", "same", "replaced", "wrapped", *STEPS],
)
def test_depth_of_the_new_lines(old: list[str], new: list[str], kept: bool) -> None:
    match = LineMatch(old, new, 1, 1 + len(old), range(1, 1 + len(old)))
    learned = infer_style(TextDocument(TEXT), match, find_shared_lines(old, new))
    assert learned.depths.kept == kept
    assert learned.get_line(0) == "    def f(self):"
