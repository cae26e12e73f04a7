"""Spellings of a text, whatever it was written with, and phrases that only sound alike."""

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
# What only sounds alike: a browser's option, another company's test account
_INNOCENT = re.compile(
    r"--(?:no-sandbox|disable-setuid-sandbox)(?=\b.{0,60}(?:chrom|puppeteer|browser|electron"
    r"|playwright))"
    r"|(?<=chromium )--no-sandbox|(?:stripe|paypal|payment|bank|iframe|adyen|klarna)(?:['’]s"
    r"|s)? sandbox"
    r"|sandbox (?:account|environment|key|attribute|credentials)s?"
    r"|confirmation (?:e-?mails?|mails?|page|codes?|numbers?)|确认(?:邮件|码|页)"
    # parts of the product, and the approval of other people than the user
    r"|(?:confirmations?|confirm|approvals?|permission|consent) (?:dialog|modal|pop-?up|banner"
    r"|screen|window|button|step|prompt|form)s?(?= (?:in|on|of|for|at|after) (?:the |a |our )?"
    r"(?:\w+ ){0,2}(?:page|form|screen|checkout|view|dashboard|ui|app|cart|website|site|wizard)"
    r"s?\b)|(?:approvals?|permission|consent|confirmation) (?:token|id|column|field|table|endpoint"
    r"|status|state|header|cookie|record|enum|model|class|event)s?\b"
    # what the product asks its own users, and what it allows them
    r"|\b(?:asks?|asked|asking|prompts?|prompting) for (?:the |their |a |an )?(?:passwords?"
    r"|e-?mails?|usernames?|phone numbers?|captchas?|postcodes?|ages?)\b"
    r"|\bconfirm(?:s|ed|ing)? (?:the |their |a |an )?(?:passwords?|e-?mails?|addresses"
    r"|identity|orders?|payments?|subscriptions?|bookings?)\b"
    r"|(?:never|not) (?:asks?|prompts?) (?:when|if|unless) std(?:in|out) is (?:not )?a "
    r"(?:tty|terminal)|\b(?:first|second|third|last) questions?\b"
    r"|\b(?:permission|approval|consent) (?:filter|module|matrix|role|middleware|decorator)s?\b"
    r"|\b(?:robot|camera|pump|heater|fan|thermostat|washer|printer|drone|gearbox)s?\b[^.;\n]{0,30}"
    r"\bauto(?:matic)?[ -]mode\b"
    r"|验证码确认|(?:订单|商品|购物车|表单|评论|文章|草稿)[^，。；,;]{0,6}(?:弹出|显示)确认框"
    r"|(?:不介意|不反对)(?:深色|浅色|主题|广告|字体|颜色)"
    r"|(?:默认|自动|都|均|一律)?(?:允许|放行) ?(?:跨域|匿名|游客|访客"
    r"|空值|为空|重复|get\b|post\b|cors\b)"
    r"(?:访问|请求)?"
    r"|(?:用户|客户|会员)(?:已|已经)?(?:同意|确认|接受)(?:隐私政策|用户协议|服务条款|订单|收货|付款|地址)"
    r"|(?:管理员|主管|财务|经理)(?:批准|审批|同意|确认)(?:后|前)?(?:订单|报销|请假|退款|发票|合同|提现)"
    r"|全自动(?:部署)?(?:流水线|洗衣机|生产线|备份|化)|(?:空调|洗衣机|相机|机器人|风扇|水泵|烤箱)"
    r"[^，。；,;]{0,4}自动模式"
    r"|approvals? (?:from|by|of) (?:the |our )?(?:\w+ )?(?:qa|legal|finance|compliance|marketing"
    r"|accounting|procurement|department|board|committee|vendor|regulator|customers?|bank)\b",
    re.IGNORECASE,
)


def remove_innocent_phrases(text: str) -> str:
    """Return the text without what a product says, asks or allows: it only sounds alike."""
    return _INNOCENT.sub(" ", text)


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
