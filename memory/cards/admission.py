"""Admission: what may become a card. Nothing secret, hidden, or copied from a foreign text."""

import re
from collections.abc import Sequence

from ...config.errors import UsageError
from ...config.security.control_characters import CONTROL_CHARACTERS
from ...config.security.redaction import find_marks, redact
from ...config.text import text
from .card import MAX_CHARACTERS
from .words import is_cjk, split_exact_words

SHARED_WORDS = 8
_CJK_CHARACTERS_A_WORD = 2
_HIDDEN = re.compile(f"[{CONTROL_CHARACTERS}]")
# What a card must not decide: whether something is asked, confined, checked or undone
_ORDERS = re.compile(
    "|".join(
        (
            # to allow at once
            r"\b(?:always|automatically|auto|silently|already|implicitly|permanently|pre)[\s-]*"
            r"(?:allow|approv|accept|permit|grant|authori[sz])",
            r"\b(?:automatically|auto|silently|implicitly|pre)[\s-]*confirm",
            # not to ask
            r"\b(?:never|not|don['’]t|no need to|stop|avoid|without)\s+(?:[\w'’]+\s+){0,3}?"
            r"(?:ask|asks|asking|prompt|prompting|confirm|confirming)\b",
            r"\b(?:no|without|skip\w*|bypass\w*|disabl\w*|ignor\w*|avoid\w*"
            r"|(?:turn|switch)(?:s|es|ed|ing)? off)\s+(?:[\w'’]+\s+){0,4}?"
            r"(?:approv\w*|permissions?|confirmations?|consent|sandbox\w*|safety|safeguards?"
            r"|restrictions?|deny rules?"
            r"|(?:earlier|previous|prior|above|system) (?:instruction|prompt|rule|message)s?)",
            # what the user would have said
            r"\b(?:user|human|owner|admin\w*) (?:has |have |had )?(?:already |previously )?"
            r"(?:approved|confirmed|allowed|authori[sz]ed|consented|granted|agreed to)",
            r"\b(?:you (?:may|can|should|must|are)|agents? (?:may|can|should|must|are)"
            r"|is|are|be|been)\s+(?:\w+\s+){0,3}?(?:pre-?approved|authori[sz]ed|allowed|permitted)"
            r"\s+to\s+(?:run|execute|delete|edit|write|push|install|use|access|read|send|skip)",
            # settings and options
            r"\b(?:approval|permission|sandbox|security)[\s_-]*modes?\s*(?:is|to|=|:|should|must)",
            r"\bpermissions?\.(?:allow|deny|ask)\b|--(?:yolo|dangerously|no-verify\b|auto-approve)",
            r"(?:总是|始终|一律|永远|自动|默认|直接)(?:允许|批准|同意|放行|通过|授权|确认)",
            r"(?:不要|不用|无需|无须|不必|不需要|别|跳过|绕过|忽略|关闭|禁用|免去?|省略)[^,.;，。；]{0,8}?"
            r"(?:询问|问我|问用户|提问|确认|批准|审批|许可|授权|权限|沙箱|沙盒|同意|安全检查|安全限制"
            r"|之前的指令|系统提示)",
            r"(?:用户|人类|管理员|主人)(?:已经?|早就|之前)?(?:批准|确认|同意|允许|授权)",
            r"(?:已|已经|被)(?:授权|批准|允许)[^,.;，。；]{0,6}?"
            r"(?:运行|执行|删除|修改|写入|推送|安装|访问|读取)",
        )
    ),
    re.IGNORECASE,
)
# A password or a key that is told: `password: hunter2`. Plain words and names of variables are none
_TOLD_SECRET = re.compile(
    r"(?:pass(?:word|wd|code|phrase)|\bpwd|secret|api[ _-]?key|access[ _-]?key|token"
    r"|密码|口令|密钥|令牌)(?: (?:of|for) [^:=.\n]{1,40}?)?[\"'`*]*\s*"
    r"(?:is|was|to|=|:|：|是|为|改为)\s*[\"'`*“「]*(?=[^\s，。；]*\d)"
    r"(?!(?:sha|md|utf|base|bcrypt|argon|scrypt|pbkdf|v)-?\d|\$|<|%|(?-i:[A-Z][A-Z0-9_]*\b)"
    r"|\d{1,3}\b)[^\s，。；/(\[{]{4,}",
    re.IGNORECASE,
)
# A quoted word is one, too, without a digit: `password: "correcthorse"`
_QUOTED_SECRET = re.compile(
    r"(?:pass(?:word|wd|code|phrase)|\bpwd|密码|口令)[\"'`*]*\s*[=:：]\s*"
    r"(?P<quote>[\"'`])(?!\$|<|%|(?-i:[A-Z][A-Z0-9_]*\b))[^\s\"'`]{8,}(?P=quote)",
    re.IGNORECASE,
)


class CardRefusedError(UsageError):
    """The text may not become a card; its message says why."""


def check_content(content: str, foreign_texts: Sequence[str] = ()) -> None:
    """Raise CardRefusedError if this may not become a card, not even a proposal.

    `foreign_texts` are texts that neither the user nor the project wrote: web pages, answers of MCP
    servers, files of a folder that is not trusted.
    """
    if not content.strip():
        raise CardRefusedError("a card needs a text", hint="say what to remember")
    if _HIDDEN.search(content):
        raise CardRefusedError("the text contains hidden characters", hint="remove them")
    if len(content.strip()) > MAX_CHARACTERS:
        raise CardRefusedError(
            text("a card has at most {most} characters", most=MAX_CHARACTERS),
            hint="keep only what later threads need",
        )
    marks = find_marks(redact(content))
    if _TOLD_SECRET.search(content) or _QUOTED_SECRET.search(content):
        marks.add("password")
    if marks:
        raise CardRefusedError(
            text("the text contains a secret: {marks}", marks=", ".join(sorted(marks))),
            hint="name the variable or the file that has it, not its value",
        )
    if _ORDERS.search(content):
        raise CardRefusedError(
            "memory cannot decide about permissions",
            hint="rules belong under `permissions` in the configuration",
        )
    if has_copied_words(content, foreign_texts):
        raise CardRefusedError(
            "the text repeats a web page, an MCP server or an untrusted file",
            hint="only the user can keep it, in their own message",
        )


def has_copied_words(content: str, foreign_texts: Sequence[str]) -> bool:
    """Return whether eight words in a row are also in one of the other texts."""
    windows = _list_windows(split_exact_words(content))
    if not windows:
        return False
    spaced_texts = (f" {' '.join(split_exact_words(foreign))} " for foreign in foreign_texts)
    return any(window in spaced for spaced in spaced_texts for window in windows)


def _list_windows(words: Sequence[str]) -> list[str]:
    """Return each run of eight words; two CJK characters count as one word."""
    sizes = [1 / _CJK_CHARACTERS_A_WORD if is_cjk(word) else 1.0 for word in words]
    windows: list[str] = []
    for first in range(len(words)):
        size = 0.0
        for last in range(first, len(words)):
            size += sizes[last]
            if size >= SHARED_WORDS:
                windows.append(f" {' '.join(words[first : last + 1])} ")
                break
    return windows
