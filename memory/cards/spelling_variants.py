"""Spellings of a text: as it is read, whatever letters and marks it was written with."""

import re
import unicodedata

_HOMOGLYPHS = str.maketrans(
    "аеорсухіјѕԁһӏкмтвнгпαβεηικμνορτυχωɑɡıℓ",
    "aeopcyxijsdhlkmtbhrnabenikmvoptuxwagil",
)
_DIGITS = str.maketrans("013457@$!|", "oieastasil")
_TRADITIONAL = str.maketrans(
    "詢問確認許權執無須過繞關閉動戶視資設運測試審準則規請徵戶對應個這隨變開備禁邊將會來達還沒",
    "询问确认许权执无须过绕关闭动户视资设运测试审准则规请征户对应个这随变开备禁边将会来达还没",
)
_SPACED_LETTERS = re.compile(r"(?<!\w)(?:[^\W_][\s.*_~·-]){2,}[^\W_](?!\w)")
_INNER_MARK = re.compile(r"(?<=[^\W\d_])[-_.*~|·+'’](?=[^\W\d_])")
_MARKS = re.compile(r"[*_`~#>|]+")
_CJK = "\u3400-\u4dbf\u4e00-\u9fff"
_CJK_GAP = re.compile(rf"(?<=[{_CJK}])[\s*_.·~|/\-、'\"“”‘’]+(?=[{_CJK}])")
_HAS_DIGIT_WORD = re.compile(r"(?:[a-z][013457@$!|]|[013457@$!|][a-z])")


def list_spellings(text: str) -> list[str]:
    """Return the text in plain small letters, and as it reads without marks between letters."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    plain = unicodedata.normalize("NFKC", bare).casefold()
    folded = plain.translate(_HOMOGLYPHS).translate(_TRADITIONAL)
    plain = _CJK_GAP.sub("", " ".join(folded.split()))
    joined = " ".join(
        _SPACED_LETTERS.sub(lambda match: re.sub(r"[\W_]", "", match[0]), folded).split()
    )
    unmarked = " ".join(_MARKS.sub(" ", plain).split())
    spellings = dict.fromkeys(
        (plain, unmarked, joined, _INNER_MARK.sub("", joined), _INNER_MARK.sub(" ", plain))
    )
    digits = [text.translate(_DIGITS) for text in spellings if _HAS_DIGIT_WORD.search(text)]
    return [*dict.fromkeys((*spellings, *digits))]
