"""One request in the form of every tool: right or refused, and never a wrong file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from patches import block, envelope, unified
from project import InProcess, write
from request_forms import lines_of, with_signs

JOBS = (
    "class Jobs:\n    def run(self,  now):\n        for job in self.jobs:\n"
    "            if job.due(now):\n                job.start()\n        return self.count\n"
)
FORM = (
    "class Form {\n    send(all) {\n        if (all) {\n            post();\n        }\n    }\n}\n"
)
STEPS = "stages:\n  jobs:\n    build:\n      steps:\n        - run: make\n        - run: test\n"
TABS = "class T:\n\tdef f(self):\n\t\tif self.x:\n\t\t\tgo()\n\t\treturn 1\n"

# name, file, old text, new text, the right file; empty: it must be refused
Row = tuple[str, str, str, str, str]
FIRST_LINE_WITHOUT_DEPTH: list[Row] = [
    (
        "a.py",
        JOBS,
        "for job in self.jobs:\n            if job.due(now):\n                job.start()\n",
        "for job in self.jobs:\n    if job.due(now):\n        job.begin()\n",
        JOBS.replace("start", "begin"),
    ),
    (
        "a.py",
        JOBS,
        "if job.due(now):\n                job.start()\n        return self.count\n",
        "if job.due(now):\n    job.stop()\nreturn self.count\n",  # a depth that nothing proves
        "",
    ),
    (
        "a.js",
        FORM,
        "send(all) {\n        if (all) {\n            post();\n        }\n    }\n",
        "send(all) {\n    if (all) {\n        put();\n    }\n}\n",
        FORM.replace("post", "put"),
    ),
    (
        "a.yaml",
        STEPS,
        "build:\n      steps:\n        - run: make\n",
        "build:\n  steps:\n    - run: cmake\n",
        STEPS.replace("make", "cmake"),
    ),
    (
        "a.py",
        TABS,
        "def f(self):\n\t\tif self.x:\n\t\t\tgo()\n",
        "def f(self):\n\tif self.x:\n\t\tstop()\n",
        TABS.replace("go", "stop"),
    ),
]
OTHER_STEP: list[Row] = [
    (
        "a.py",
        JOBS,
        "    for job in self.jobs:\n      if job.due(now):\n        job.start()\n",
        "        for job in self.jobs:\n            if job.due(now):\n"
        "                job.begin()\n",
        JOBS.replace("start", "begin"),
    ),
    (
        "a.js",
        FORM,
        "  send(all) {\n    if (all) {\n      post();\n    }\n  }\n",
        "    send(all) {\n        if (all) {\n            put();\n        }\n    }\n",
        FORM.replace("post", "put"),
    ),
    (
        "a.py",
        JOBS,
        "      if job.due(now):\n        job.start()\n",
        "            if job.due(now):\n                job.start(now)\n",
        JOBS.replace("start()", "start(now)"),
    ),
    (
        "a.py",
        JOBS,
        "      if job.due(now):\n        job.start()\n    return self.count\n",
        "            if job.due(now):\n                job.start()\n                job.log()\n"
        "        return self.count\n",
        JOBS.replace("job.start()\n", "job.start()\n                job.log()\n"),
    ),
    (
        "a.yaml",
        STEPS.replace("  ", "    "),
        "  jobs:\n    build:\n      steps:\n",
        "    jobs:\n        test:\n            steps:\n",
        STEPS.replace("  ", "    ").replace("build", "test"),
    ),
]
LINE_INSIDE_A_LONGER_ONE: list[Row] = [
    ("a.py", "def f(x, y):\n    return x - y\n", "    return x\n", "    return x * 2\n", ""),
    ("a.js", "let a = 10;\nlet b = 2;\n", "let a = 1\n", "let a = 3\n", ""),
    ("a.txt", "x = ham\ny = hammer\n", "y = ham\n", "y = egg\n", ""),
    ("a.c", "if (a && b) {\n", "if (a\n", "if (c\n", ""),
    ("a.py", "    v = get(n).strip()\n", "    v = get(n)\n", "    v = put(n)\n", ""),
    ("a.py", "import os.path\n", "import os\n", "import sys\n", ""),
]
FROM_INSIDE_THE_DEPTH: list[Row] = [
    ("a.py", "def f():\n    return 1\n", " return 1\n", " return 2\n", "def f():\n    return 2\n"),
    ("a.py", TABS, "\tgo()\n", "\tstop()\n", TABS.replace("go", "stop")),
    (
        "a.py",
        "class A:\n    def f(self):\n        a()\n        b()\n",
        "   a()\n        b()\n",
        "   c()\n        d()\n",
        "class A:\n    def f(self):\n        c()\n        d()\n",
    ),
    (
        "a.yaml",
        "a:\n    b: 1\n    c: 2\n",
        " b: 1\n    c: 2\n",
        " b: 3\n    c: 4\n",
        "a:\n    b: 3\n    c: 4\n",
    ),
    (
        "a.py",
        "def f():\n    if x:\n        y()\n",
        "  if x:\n        y()\n",
        "  if z:\n        y()\n",
        "def f():\n    if z:\n        y()\n",
    ),
]
ROWS = [*FIRST_LINE_WITHOUT_DEPTH, *OTHER_STEP, *LINE_INSIDE_A_LONGER_ONE, *FROM_INSIDE_THE_DEPTH]
MUST_APPLY = [row for row in (*FIRST_LINE_WITHOUT_DEPTH, *OTHER_STEP) if row[-1]]


def build_calls(name: str, old: str, new: str) -> list[tuple[str, Mapping[str, Any]]]:
    pair = {"old_string": old, "new_string": new}
    hunk = [(with_signs(lines_of(old), lines_of(new)), "@@")]
    return [
        ("edit", {"file_path": name, **pair}),
        ("edit", {"file_path": name, "edits": [pair]}),
        ("replace_in_file", {"path": name, "diff": block(lines_of(old), lines_of(new))}),
        ("apply_patch", {"patch": envelope(name, hunk)}),
        ("apply_patch", {"patch": unified(name, hunk)}),
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}: {row[2][:30]!r}")
def test_each_tool_is_right_or_refuses(row: Row, tmp_path: Path) -> None:
    name, before, old, new, right = row
    refused = list[str]()
    for number, (tool, args) in enumerate(build_calls(name, old, new)):
        door = InProcess(tmp_path / str(number))
        write(door.folder, {name: before.encode()})
        door.call("read_file", {"path": name})
        answer = door.call(tool, args)
        after = (door.folder / name).read_text()
        door.close()
        assert not answer.crashed, answer.error
        assert after == (right if answer.applied else before), (tool, args)
        refused += [] if answer.applied else [tool]
    if row in MUST_APPLY:
        assert set(refused) <= {"apply_patch"}
