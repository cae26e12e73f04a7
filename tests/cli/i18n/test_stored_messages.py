import re
from collections.abc import Iterator
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from maxagent.cli.i18n.catalogs import load_catalog, use_language
from maxagent.cli.i18n.stored_messages import translate_stored

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    use_language("zh")
    yield
    use_language("")


def messages() -> dict[str, str]:
    return dict(load_catalog("messages", "zh").list_messages())


def names(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


@pytest.mark.parametrize(
    "sentence, meaning",
    [
        ("", ""),
        ("the request is empty", "请求为空"),
        ("Never said by anybody", "Never said by anybody"),
        ("no thread `it asks the user`", "没有会话 `it asks the user`"),
        ("no thread `a{b}c`", "没有会话 `a{b}c`"),
        ("set it, or write `${KEY:-DEFAULT}`", "请设置它，或写成 `${KEY:-DEFAULT}`"),
        ("it runs a program: it writes to `x`", "会运行程序：会写入 `x`"),
        ("Extra: line 3 column 1). You sent: {}", "Extra: line 3 column 1). You sent: {}"),
        ("2 passed", "2 个通过"),
        ("1 failed, 2 passed, 3 skipped", "1 个失败，2 个通过，3 个跳过"),
        ("1 error", "1 个错误"),
        ("2 passed here", "2 passed here"),
        ("it runs a program: nobody: knows", "会运行程序：nobody: knows"),
        (
            "no sandbox: turned off by `sandbox.mode`; commands run with all your permissions",
            "没有沙箱：已由 `sandbox.mode` 关闭；命令以您的全部权限运行",
        ),
        (
            "it changes files; after it runs `ruff`, `x; y` (an `allow` rule lets them run"
            " unasked)",
            "会修改文件；之后运行 `ruff`, `x; y`（用一条 `allow` 规则可使其无需询问即可运行）",
        ),
        (
            "this folder is not trusted, so these project files are ignored: `.llc.yaml`"
            " (configuration); `AGENTS.md`, `CLAUDE.md` (instructions); and 2 others, and"
            " its tests are not run; trust it with `mcode trust`, `--trust`, or `/trust` in a"
            " conversation. Project files changed since you trusted this folder: `.llc.yaml`"
            " changed",
            "此文件夹不受信任，因此忽略这些项目文件：`.llc.yaml` (configuration)；"
            "`AGENTS.md`, `CLAUDE.md` (instructions)；以及另外 2 个，也不运行其测试；"
            "可用 `mcode trust`、`--trust`，或在对话中用 `/trust` 表示同意。"
            "自您信任此文件夹以来，这些项目文件有变动：`.llc.yaml` 有变化",
        ),
        (
            "2 mistakes in the configuration:\n  /a/b.yaml:3: unknown key `x`; did you mean `y`?\n"
            "  environment LLC_X: `x` must be 'a', 'b' or 'c', not `\"d\"`",
            "配置中有 2 处错误：\n  /a/b.yaml:3: 未知的键 `x`；您是想用 `y` 吗？\n"
            "  环境变量 LLC_X：`x` 必须是 'a', 'b' 或 'c'，而不是 `\"d\"`",
        ),
        *(
            (f"invalid value for `--x`: {output}", f"`--x` 的值无效：{meaning}")
            for output, meaning in {
                "Input should be a valid number, unable to parse string as a number": "须为数字",
                "Input should be a valid integer, unable to parse string as an integer": "须为整数",
                "Input should be less than or equal to 3": "不得大于 3",
                "`y` is not one of `a`, `b`": "`y` 不是 `a`, `b` 之一",
            }.items()
        ),
        ("`m` at h answered 401: no: way", "h 的 `m` 返回 401：no: way"),
        ("/a/b.yaml:3: not YAML: found a tab", "/a/b.yaml:3：不是 YAML：found a tab"),
        ("/a/b.md:1: not UTF-8 text", "/a/b.md:1：不是 UTF-8 文本"),
        ("no such command `y`", "没有命令 `y`"),
    ],
)
def test_a_sentence_is_translated_to_chinese(sentence: str, meaning: str) -> None:
    assert translate_stored(sentence) == meaning


def test_in_english_it_stays_as_it_is() -> None:
    use_language("en")
    assert translate_stored("the request is empty") == "the request is empty"


def test_a_template_without_words_fits_nothing() -> None:
    assert translate_stored("some: words; of nobody") == "some: words; of nobody"


def test_every_sentence_is_known_again_with_its_values() -> None:
    for sentence in (item for item, message in messages().items() if CHINESE.search(message)):
        values = {name: f"<{number}>" for number, name in enumerate(names(sentence))}
        stored = translate_stored(sentence.format(**values))
        assert CHINESE.search(stored), sentence
        written = [values[name] for name in names(sentence)]
        assert sorted(re.findall(r"<\d+>", stored)) == sorted(written), (sentence, stored)


@given(some.text(max_size=60), some.sampled_from(sorted(messages())))
def test_any_value_comes_through(value: str, sentence: str) -> None:
    quoted = set(re.findall(r"`\{(\w+)\}`", sentence))
    stored = translate_stored(sentence.format(**{name: value for name in names(sentence)}))
    assert isinstance(stored, str)
    assert not quoted or value in stored


@given(some.lists(some.sampled_from(["it asks the user", ": ", "; ", ". ", "`", "x"]), max_size=99))
def test_any_text_is_reported(pieces: list[str]) -> None:
    assert isinstance(translate_stored("".join(pieces)), str)
