"""Speech about permission: what would decide whether something is asked, confined or undone.

Cards never decide that, whoever writes them: rules belong into the configuration. The patterns
look for the effect, not for the words of one sentence: an agent, its commands and guards on one
side, and what switches a question off on the other.
"""

import re
from functools import cache

from .spelling_variants import list_spellings, remove_innocent_phrases

# Between two words of one clause, and up to so many words of it. No character is in both, and no
# run is left again: a line of marks has one reading
_GAP = r"(?:[\s,:\"'`’“”()*/&-]++)"
_WORD = rf"(?:[\w.~]++{_GAP})"
_FEW, _SOME = rf"{_WORD}{{0,3}}?", rf"{_WORD}{{0,5}}?"

_AGENT = r"(?:you|your|yourself|agents?|assistants?|model|models|mcode|maxagent|the ai|llm|bot)"
_PERSON = (
    r"(?:me|us|user|users|the user|human|owner|him|her|them|anyone|anybody|anybody|someone|nobody"
    r"|maintainers?|developer|operator|team|people|first)"
)
_SPEAKERS = (
    r"(?:user|human|owner|admin\w*|maintainers?|operator|developer|boss|lead|team|everyone|they|we"
    r"|i)"
)
_ACTIONS = (
    r"(?:commands?|tools?|tool calls?|calls|actions?|operations?|edits?|push(?:es|ing)?"
    r"|deletions?"
    r"|file changes|shell|prompts?|approvals?|dialogs?|confirmations?|permissions?|steps)"
)
_ALL = (
    r"(?:everything|anything|whatever"
    rf"|(?:all|any|every|each)\s+(?:of\s+)?{_WORD}{{0,3}}?{_ACTIONS})"
)
_DO = (
    r"(?:run|running|execute|executing|push|pushing|delete|deleting|remove|overwrite|install"
    r"|deploy"
    r"|deploying|write|edit|access|send|force|commit|do|use|call|fetch|download|act|proceed"
    r"|go ahead)"
)
_GUARDS = r"(?:sandbox(?:es|ing|ed)?|confinement|bubblewrap|bwrap|seccomp)"
_CHECKS = (
    r"(?:approvals?|permissions?|confirmations?|consent|sign-?offs?|go-?ahead|authori[sz]ations?"
    r"|clearance|(?:security|permission|approval|safety) (?:check|question|prompt|step|dialog)s?"
    r"|guard-?rails?|safeguards?|y/n)"
)
_OFF = (
    r"(?:skip\w*|bypass\w*|disabl\w*|ignor\w*|avoid\w*|circumvent\w*|evad\w*|suppress\w*|omit\w*"
    r"|waiv\w*|lift\w*|suspend\w*|relax\w*|drop(?:s|ped|ping)?|overrid\w*|sidestep\w*|dismiss\w*"
    r"|(?:turn|switch|shut|leav)(?:s|es|e|ed|ing)? off|do(?:ing)? away with|dispens\w* with"
    r"|forgo)"
)
_NEEDLESS = (
    r"(?:unnecessary|unneeded|needless|superfluous|redundant|optional|pointless|useless|moot"
    r"|waived"
    r"|lifted|suspended|disabled|(?:switched |turned )?off|not (?:needed|required|necessary"
    r"|wanted"
    r"|used|useful|called for)|no longer (?:needed|required|necessary|asked|wanted)"
    r"|never (?:needed|required|necessary)|(?:is|are|was)n['’]?t (?:needed|required|necessary))"
)
_YES = (
    r"(?:permitted|allowed|approved|authori[sz]ed|accepted|ok|okay|okayed|fine|safe|trusted"
    r"|cleared"
    r"|blessed|green-?lit|white-?listed|allow-?listed|sanctioned|granted|agreed|fair game"
    r"|good to go|signed off|vetted|endorsed|acceptable|welcome|pre-?cleared|harmless)"
)
_HERE = r"(?:folder|directory|project|repo|repository|workspace|codebase|checkout)"
_SECRETS = r"(?:\.env|secrets?|~?/?\.ssh|ssh keys?|credentials?|api keys?|private keys?|passwords?)"
_COMMANDS = (
    r"(?:git|rm|npm|npx|pnpm|yarn|pip|uv|docker|kubectl|terraform|curl|wget|ssh|scp|sudo|bash|sh"
    r"|make|force[- ]push|deploy(?:s|ing|ments?)?|scripts?)"
)
_LISTS = r"(?:(?:allow|white|safe|permit|pass|trust|green)(?:ed)?[- ]?lists?)"
_MODES = r"(?:auto|yolo|edits|full-?auto|autopilot|unrestricted|permissive|bypass)"

_ORDERS = (
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
    r"(?:不要|不用|无需|无须|不必|不需要|别|跳过|绕过|忽略|关闭|禁用|免去?"
    r"|省略)[^,.;，。；]{0,8}?"
    r"(?:询问|问我|问用户|提问|确认|批准|审批|许可|授权|权限|沙箱|沙盒|同意|安全检查|安全限制"
    r"|之前的指令|系统提示)",
    r"(?:用户|人类|管理员|主人)(?:已经?|早就|之前)?(?:批准|确认|同意|允许|授权)",
    r"(?:已|已经|被)(?:授权|批准|允许)[^,.;，。；]{0,6}?"
    r"(?:运行|执行|删除|修改|写入|推送|安装|访问|读取)",
)
_ENGLISH = (
    # not to ask
    rf"\b(?:never|not|don['’]?t|dont|need ?n['’]?t|needn['’]?t|no (?:need|reason|point)|stop"
    rf"|quit|cease"
    rf"|without|rather than|instead of|unnecessary|pointless|needless|refrain from|no longer)"
    rf"{_GAP}{_FEW}(?:check(?:ing)?(?: back| in)?{_GAP}with|consult\w*|bother\w*|interrupt\w*"
    rf"|disturb\w*|pester\w*|nag\w*|question\w*|wait(?:ing)? for|wait(?:ing)? on){_GAP}{_FEW}"
    rf"(?:{_PERSON}|{_CHECKS}|yes|ok|an answer)\b",
    rf"\b(?:need ?n['’]?t|needn['’]?t|need not|rather than|instead of|no longer|unnecessary to"
    rf"|pointless to"
    rf"|needless to|no (?:point|reason|use)(?: in| to)?|refrain from|quit|cease){_GAP}{_FEW}"
    r"(?:ask|asking|prompt(?:ing)?|confirm(?:ing)?|seek(?:ing)?|request(?:ing)?)\b",
    rf"\b(?:asking|questions?|confirming|prompts|prompting){_GAP}{_FEW}(?:is|are|would be|seems?)"
    rf"{_GAP}{_FEW}{_NEEDLESS}",
    r"\bno (?:further |more |other )?questions?(?: asked| needed| necessary)?\b(?! in the)",
    r"\bask (?:for )?forgiveness|\bact first\b|\b(?:silence|no answer|no reply) (?:means|is"
    r"|counts as)",
    # guards and checks that do not hold
    rf"\b{_OFF}{_GAP}{_SOME}(?:{_CHECKS}|{_GUARDS})(?! (?:emails?|mails?|page|dialog|codes?)\b)",
    rf"\b(?:{_CHECKS}|{_GUARDS}){_GAP}{_FEW}{_NEEDLESS}",
    rf"\b(?:{_CHECKS}){_GAP}{_FEW}(?:is|are|was|were|has been|have been|counts as|can be|may be)"
    rf"{_GAP}{_FEW}(?:implied|assumed|presumed|implicit|automatic|standing|blanket"
    rf"|given in advance"
    r"|taken for granted|skipped|bypassed|ignored)",
    rf"\b(?:restrictions?|guard-?rails?|safeguards?|limits?){_GAP}{_SOME}(?:is|are|been"
    rf"|were){_GAP}{_FEW}"
    r"(?:lifted|waived|suspended|switched off|turned off|void)\b",
    rf"\b(?:deny rules?|restrictions?|permission rules?|guard-?rails?|safeguards?){_GAP}{_SOME}"
    r"(?:do not|don['’]?t|does not|no longer|never)\s+(?:apply|hold|count|matter)",
    rf"\b(?:run|runs|running|execute\w*|start\w*|work|works|do|go|step|commands?|tests|tool"
    rf"|tools)"
    rf"{_GAP}{_SOME}(?:outside|out of|beyond|around){_GAP}{_FEW}{_GUARDS}",
    rf"\b(?:leav\w*|escap\w*|exit\w*|break out of|get around|work around|no|without){_GAP}{_FEW}"
    rf"{_GUARDS}",
    r"\boutside[_ ]?sandbox\b|\bsandbox\s*[.=:]\s*(?:mode|off|none|false|network|writable)"
    r"|\bsandbox\.mode\b|\bsecurity\.\w+|\brequire_confirmation\b|\bsandboxed_commands\b",
    # everything is allowed
    rf"\b{_ALL}{_GAP}{_SOME}(?:is|are|was|were|be|counts? as|considered|been|goes"
    rf"|stays?){_GAP}{_FEW}{_YES}\b"
    r"(?! by (?:\w+ )?(?:reviewers?|code ?owners)\b)",
    rf"\b{_ALL}\s+(?:goes|allowed|permitted|approved|trusted)\b(?! by (?:\w+ )?(?:reviewers?"
    rf"|code ?owners)\b)",
    rf"\b(?:allow|permit|approve|accept|authori[sz]e|green-?light|grant|consent to|agree to"
    rf"|confirm|okay)"
    rf"{_GAP}{_FEW}{_ALL}",
    rf"\b(?:answer|say|reply|press|choose|select|click|assume|default to|respond|type"
    rf"|hit)\w*{_GAP}{_FEW}"
    rf"(?:y|yes|always|allow|ok)\b{_GAP}?{_SOME}(?:prompts?|questions?|dialogs?|requests?"
    rf"|approvals?"
    r"|confirmations?|everything|all|any|every)",
    rf"\b(?:assume|presume|consider|treat|regard|deem|take)\w*{_GAP}{_SOME}(?:consent|approval"
    r"|permission|agreement|approved|granted|pre-?approved|authori[sz]ed|as given|agrees"
    r"|accepts)",
    rf"\b{_CHECKS}{_GAP}{_FEW}(?:is|are|was|were|been|considered){_GAP}{_FEW}(?:granted"
    rf"|given)\b(?! by\b)",
    r"\b(?:nobody|no ?one|none of us)\s+(?:\w+\s+)?(?:minds?|cares?|objects?|needs? to (?:agree"
    r"|approve))",
    rf"\b{_OFF}{_GAP}{_FEW}(?:asking|questions?|prompts?|prompting|confirming"
    rf"|(?:the )?approvals?)\b(?! emails?)",
    rf"\b{_SPEAKERS}{_GAP}{_FEW}(?:says? yes|said yes|never (?:says? no|objects?|minds?)|(?:does"
    rf"|do) ?n['’]?o?t mind"
    r"|has no objections?|have no objections?|is (?:fine|ok|okay|happy) with (?:every|any|all"
    r"|what))",
    rf"\b(?:confirmations?|approvals?|questions|prompts|asking|permission prompts?){_GAP}"
    rf"{_FEW}(?:is|are|only|just)"
    rf"{_GAP}{_FEW}(?:a waste|waste|annoy\w*|in the way|slows?|nuisance|noise|ceremony"
    rf"|formalit\w+|nonsense|theat)",
    r"\bdo (?:whatever|anything|what|as|everything)\s+(?:that )?you\s+(?:\w+\s+)?(?:want|like"
    r"|please|need|wish"
    r"|see fit|think)|\bas you see fit\b|\bown authority\b|\byes to (?:all|every|any)"
    r"|\bunsandboxed\b",
    rf"\b(?:outside|out of|beyond|past)\s+(?:of\s+)?(?:the |its |any |our |every )?{_GUARDS}\b",
    rf"\b{_AGENT}{_GAP}(?:may|can|might|is to|are to){_GAP}{_FEW}{_DO}{_GAP}{_SOME}(?:main"
    rf"|master|prod\w*|force"
    r"|at any time|any ?time|whenever|always|unasked|everything|anything|any (?:command|program)s?"
    r"|all (?:commands|programs))\b",
    rf"\b(?:never|not|no longer|hardly|n['’]t|dont|doesnt){_GAP}(?:require|need|want|call for"
    rf"|demand|await|involve)s?"
    rf"{_GAP}{_FEW}(?:{_CHECKS}|to be (?:approved|confirmed|asked|reviewed)|an? (?:ok|okay"
    rf"|yes)\b)",
    rf"\b(?:approvals?|confirmations?|permissions?|sandbox|consent)\s*(?:mode|policy"
    rf"|level)?{_GAP}?(?:to|=|:|is|of)"
    r"\s*[`\"']?(?:never|off|none|auto|disabled|false|always yes)\b",
    r"\bwithout\s+(?:my|our|the user['’]?s?|his|her|their|any|an?|the owner['’]?s?"
    r"|human)\s+(?:\w+\s+)?(?:ok|okay|yes"
    r"|go|nod|blessing|word|input|involvement|knowledge|say-?so|oversight|intervention)\b",
    rf"\b(?:human|user|manual|owner)(?:['’]s)?\s+(?:in the loop|review|oversight|supervision"
    rf"|intervention|decision"
    rf"|approval|input){_GAP}{_FEW}{_NEEDLESS}",
    rf"\b(?:treat|count|handle|regard|take|consider)\w*{_GAP}{_SOME}(?:questions?|prompts?"
    rf"|dialogs?|requests?|calls?)"
    rf"{_GAP}{_FEW}(?:yes|answered|approved|accepted|confirmed|agreed)\b",
    rf"\b(?:exempt|excluded|excused|spared|free){_GAP}(?:from|of){_GAP}{_FEW}(?:{_CHECKS}"
    rf"|{_GUARDS}|questions|prompts)",
    r"\b(?:just|simply|blindly|immediately|instantly|only)\s+(?:accept|approve|allow|say yes"
    r"|confirm|permit)\b",
    rf"\b(?:assume|presume|suppose){_GAP}{_FEW}(?:i|we|the user|everyone"
    rf"|they)\s+(?:\w+\s+)?(?:agrees?|consents?"
    r"|approves?|accepts?|allows?|is fine|are fine)",
    rf"\b(?:nothing|none|no (?:command|action|step|edit|call)s?)\b{_GAP}{_SOME}(?:needs?|has"
    rf"|have|requires?|must)"
    rf"{_GAP}(?:to )?(?:be )?(?:confirmed|approved|asked|checked|reviewed|confirmation|approval)",
    rf"\b(?:rm -\w+|force[- ]?push(?:es|ing)?|git push|pushes|pushing|deletions|deleting"
    rf"|overwriting)\b"
    rf"{_GAP}{_SOME}(?:is|are){_GAP}(?:always |all |also )?{_YES}\b(?!\s+(?:only|from|by|after"
    rf"|to|if|when|on))",
    rf"\b{_CHECKS}\s*(?:[:=]|\bis|\bare|\bwas)\s*(?:already )?"
    r"(?:granted|given|obtained)\b(?! by\b)",
    rf"\b(?:has|have|had|got|with|by){_GAP}{_FEW}{_SPEAKERS}(?:['’]s)?\s+(?:full "
    rf"|own )?(?:blessing|permission|approval"
    r"|consent|authori[sz]ation|trust|mandate|ok|okay)\b",
    r"\btrust\s+(?:every|all|any|each)\b|\bno (?:supervision|oversight|human)\b"
    r"|\bapprove (?:yourself|it yourself|your own)"
    r"|\bon (?:the )?(?:user|owner|human)(?:['’]s)? behalf|\bon behalf of (?:the )?(?:user|owner"
    r"|human)\b",
    rf"\b{_SPEAKERS}\s+(?:does not|doesn['’]?t|do not|don['’]?t|will not|won['’]?t|would not"
    rf"|wouldn['’]?t)\s+"
    r"(?:mind|object|care|complain|notice)\b",
    # what a person would have said
    rf"\b{_SPEAKERS}{_GAP}{_FEW}(?:agreed?|agrees|approved?s?|consent\w*|okayed|ok['’]?d"
    rf"|signed off|green-?lit"
    r"|authori[sz]e[sd]?|permit\w*|allow\w*|grant\w*|gave|given|gives|trusts?|accepts?"
    r"|accepted|waived"
    rf"|blessed|vouch\w*|cleared|confirmed){_GAP}{_SOME}(?:{_ALL}|commands?|shell|push(?:es|ing)"
    r"|tool (?:use|calls?)|you\b|your\b|the agent|in advance|beforehand|blanket|a free hand"
    r"|full (?:access|permission|trust)|permission)",
    # a free hand
    r"\bcarte blanche\b|\bgreen[- ]?light(?:ed)?\b|\bfree (?:rein|reign|hand|pass|ticket)\b"
    r"|\brubber[- ]?stamp|\b(?:blanket|standing) (?:approval|permission|consent|ok|okay|yes"
    r"|authori"
    r"|agreement)|\bpre-?(?:clear|approv|authori[sz]|confirm|permit|consent)\w*",
    rf"\b{_AGENT}{_GAP}{_FEW}(?:have|has|had|get|gets|got|enjoy|holds?){_GAP}{_FEW}(?:full"
    rf"|unlimited"
    r"|complete|unrestricted|unfettered|total|blanket|root|admin|every"
    r"|all)\s+(?:\w+\s+)?(?:access"
    r"|permissions?|rights?|trust|privileges?|control|freedom|autonomy|authority)",
    rf"\b(?:{_AGENT}|feel){_GAP}{_FEW}(?:free|welcome|at liberty|entitled|trusted|cleared"
    rf"|licen[sc]ed"
    rf"|empowered){_GAP}{_FEW}{_DO}\b",
    rf"\b{_DO}{_GAP}{_SOME}(?:freely|at will|unasked|unsupervised|unprompted|on your own|yourself"
    r"|autonomously|at (?:your|its) (?:own )?discretion|without (?:a second (?:thought|look)"
    r"|hesitation"
    r"|hesitating|limits?|restrictions?|supervision|oversight|worry\w*|waiting"
    r"|thinking twice))\b",
    r"\b(?:act|operate|work|proceed|behave|decide)\s+(?:\w+\s+)?(?:autonomously|unsupervised"
    r"|independently|on your own|by yourself)\b|\bfull autonomy\b",
    rf"\b(?:safe|harmless|fine|ok|okay|acceptable|all ?right|permitted"
    rf"|allowed){_GAP}(?:for you )?to{_GAP}"
    rf"{_FEW}{_DO}{_GAP}{_SOME}(?:anything|everything|all (?:commands|scripts|files)"
    rf"|any (?:command|script"
    rf"|program)|{_SECRETS}|outside|force)",
    rf"\b(?:read|print|show|send|share|upload|post|copy|expose|commit)\w*{_GAP}{_FEW}"
    rf"{_SECRETS}{_GAP}{_FEW}"
    r"(?:fine|ok|okay|allowed|permitted|safe|harmless|no problem|acceptable)\b",
    rf"{_SECRETS}{_GAP}(?:may|can) be (?:printed|sent|shared|uploaded|pushed|committed|shown"
    rf"|read freely)",
    # trust and modes
    rf"\b(?:treat|consider|regard|deem|mark|assume|trust|count)\w*{_GAP}{_SOME}(?:{_HERE}"
    rf"|scripts?|server"
    rf"|files?|code|content){_GAP}{_FEW}(?:trusted|safe|trustworthy|harmless|approved|benign)\b",
    rf"\btrust(?:s|ed|ing)?{_GAP}(?:this|the|our|every|your){_GAP}{_FEW}{_HERE}\b",
    # a list of what is allowed, an answer for every question
    rf"\b(?:{_ACTIONS}|{_COMMANDS})\b{_GAP}{_SOME}(?:on|in|of|to|into){_GAP}{_FEW}{_LISTS}\b",
    rf"\b{_LISTS}{_GAP}{_SOME}(?:has|have|holds?|includes?|contains?|covers?|names?|lists?){_GAP}"
    rf"{_SOME}(?:{_ACTIONS}|{_COMMANDS})\b",
    rf"\b(?:yes|y|ok|okay){_GAP}(?:is|as|be|counts as|serves as){_GAP}{_FEW}(?:answers?|reply"
    rf"|response){_GAP}{_SOME}(?:every|any|all|each|always|whatever)\b",
    rf"\b(?:answers?|reply|replies|response){_GAP}{_SOME}(?:every|any|all|each|always|whatever)\b"
    rf"{_GAP}?{_SOME}(?:is|are|be)?{_GAP}?{_FEW}yes\b",
    rf"\b{_HERE}{_GAP}(?:is|are|counts as|has been|was){_GAP}{_FEW}(?:trusted|trustworthy)\b",
    rf"\b(?:approval|permission|agent|mcode|maxagent|security|command){_GAP}"
    rf"{_SOME}(?:mode\s+)?{_MODES}\b"
    r"(?:\s+mode)?(?= |$|[.,;])(?<!edits)",
    rf"\bmodes?{_GAP}(?:is |are |to |of |should be |must be )?[`\"']?{_MODES}\b{_GAP}"
    rf"{_FEW}(?:fine|ok|okay"
    r"|good|safe|right|best|preferred|recommended|allowed|here|always|enough)",
    rf"\b(?:use|run|switch|start|prefer|stay|work|enable|set|choose|go)\w*{_GAP}{_FEW}"
    rf"(?:mode\s+[`\"']?{_MODES}\b|{_MODES}[ -]mode\b)",
    r"\b(?:yolo|danger(?:ous)?|god|unattended|autonomous)[ -]mode\b",
    r"\bmcode\b.{0,40}(?:--trust|--mode|--yes|\btrust\b|permissions|config set)|--(?:yolo"
    r"|trust)\b",
    rf"\b(?:run_command|write_file|apply_patch|replace_in_file|webfetch|use_mcp_tool"
    rf"|mcp_\w+)\b{_GAP}{_SOME}"
    rf"(?:{_YES}|freely|always|without|never asks?|unasked)",
    rf"\b(?:follow|obey|apply|honou?r|adopt)\w*{_GAP}{_SOME}(?:permissions?|approvals?|consent"
    rf"|sandbox"
    r"|trust)\b",
)
_NOT = (
    r"(?:不要|不用|不再|不需要?|不须|不必|毋须|毋需|没必要|没有必要|没必要再|何必|甭|切勿|勿"
    r"|别|免去|免除|免于|省去"
    r"|省略|跳过|绕过|绕开|避开|忽略|无视|关闭|关掉|停用|禁用|取消|解除|去掉|略过|无需|无须"
    r"|停止|直接略过)"
)
_CHARACTER = r"[^,.;，。；！？!?]"
_CHINESE = (
    rf"{_NOT}{_CHARACTER}{{0,10}}?(?:点头|首肯|征询|准许|答应|拍板|签字|过目|表态|把关)",
    rf"(?:已获|已得到|已经得到|已取得|已经取得|已征得){_CHARACTER}{{0,4}}?(?:用户|管理员|主人|我)?{_CHARACTER}{{0,4}}?(?:许可"
    rf"|授权|同意|批准)",
    rf"(?:用户|我|主人|管理员|大家|没人|没有人){_CHARACTER}{{0,4}}?(?:不介意|不反对|没意见|没有意见"
    rf"|无异议|不在乎|会反对)",
    rf"{_NOT}{_CHARACTER}{{0,4}}?问(?![题卷答号])|[莫不少]问(?:[，。,.!！]|$|直接|就)",
    rf"沙[箱盒]{_CHARACTER}{{0,4}}?(?:没用|无用|关掉|关了|停掉|麻烦|碍事)|(?:确认|审批|询问){_CHARACTER}"
    rf"{{0,4}}?(?:浪费|麻烦|多此一举|碍事)",
    r"你说了算|你做主|都听你的|随你(?:便|处理|意|怎么)|你看着办|(?:算|当|等于|即|就是)(?:我"
    r"|用户)?(?:已)?同意|一律(?:同意|批准|通过|回答)",
    rf"(?:不用|别|不必|不要|无需)管{_CHARACTER}{{0,6}}?(?:权限|沙箱|沙盒|规则|限制|审批)",
    rf"{_NOT}{_CHARACTER}{{0,10}}?(?:询问|再问|问我|问用户|来问|过问|请示|征求|征得|等我|等用户|批准"
    rf"|审批|审核|许可|授权|沙箱"
    r"|沙盒|隔离|同意|打扰我|打扰用户|弹窗确认|汇报|确认(?!邮件|码|邮箱))",
    rf"(?:沙箱|沙盒|审批|确认|批准|授权|许可|询问|请示){_CHARACTER}{{0,6}}?(?:不用|不需要|没必要"
    rf"|没有必要|可以不|可免|可跳过"
    r"|可省|多余|不必|可有可无|已关|已解除|已取消|没有意义)",
    rf"(?:限制|拒绝规则|禁止规则|权限规则|安全规则){_CHARACTER}{{0,6}}?(?:不适用|不生效|已解除|已取消"
    rf"|作废|无效)",
    rf"(?:所有|全部|任何|一切|任意|凡是|每个|每条){_CHARACTER}{{0,10}}?(?:都|皆|均|一概|一律|全)?{_CHARACTER}"
    rf"{{0,4}}?(?:允许|获准|放行|已批准"
    r"|同意|授权|许可|可信|没意见|没有意见|认可|准许|无妨|没问题)(?!的)",
    rf"(?:命令|操作|指令|推送|删除|修改){_CHARACTER}{{0,6}}?(?:都|一概|一律|全都?)(?:可以|行|准"
    rf"|可)(?:$|[，。,.;；!！])",
    r"放心(?:地|大胆)?(?:去)?(?:执行|运行|推送|删除|操作|改|用|跑|做)|大胆(?:执行|运行|推送"
    r"|删除|操作|去做)|全权|自作主张"
    r"|先斩后奏|一路绿灯|开绿灯|绿灯放行|免审|免确认|免批|免问|完全信任|全自动|自动模式"
    r"|无条件(?:执行|放行|同意|批准)"
    r"|想[推删改跑做]\S{0,2}就|随(?:意|便)(?:执行|运行|推送|删除|修改|操作|用)|畅通无阻|擅自"
    r"|自行决定",
    rf"auto\s*模式|模式{_CHARACTER}{{0,6}}?auto|直接(?:推送|删除|部署|动手|提交){_CHARACTER}{{0,8}}?(?:即可"
    rf"|就行|就好|就可以|吧|没问题)",
    rf"(?:视为|视作|当作|当成|看作|默认|标记为){_CHARACTER}{{0,4}}?(?:可信|信任|受信|已批准|已同意"
    rf"|同意|批准|安全|许可|授权|允许)",
    rf"信任(?:此|该|这个|本|这){_CHARACTER}{{0,3}}?(?:文件夹|目录|项目|仓库)|(?:文件夹|目录|项目"
    rf"|仓库){_CHARACTER}{{0,4}}?(?:可信|受信任"
    r"|值得信任|已信任)|(?:沙箱|沙盒)(?:之)?外|不(?:在|经|走|进)沙[箱盒]|脱离沙[箱盒]",
    rf"(?:用户|管理员|主人|负责人|老板|我|我们|人类|作者|维护者|大家){_CHARACTER}{{0,8}}?(?:批准|同意"
    rf"|授权|点头|准许|答应|认可|许可|放行)"
    rf"{_CHARACTER}{{0,6}}?(?:所有|一切|任何|全部|命令|操作|推送|你|代理|助手)",
    rf"(?:你|您|代理|助手|模型|智能体|ai){_CHARACTER}{{0,4}}?(?:可以|可|能|有权|被允许|获准|享有"
    rf"|拥有){_CHARACTER}{{0,6}}?(?:任意|随意|自由"
    r"|自行|所有|任何|完全|不受限|全部权限|最高权限|一切)",
    rf"(?:权限|限制){_CHARACTER}{{0,4}}?(?:开放|放开|全开|解除|取消|拉满)|(?:最高|全部|所有)权限"
    rf"|不受(?:任何)?限制",
    rf"(?:打印|输出|上传|发送|公开|提交){_CHARACTER}{{0,4}}?(?:密钥|密码|令牌|凭证|\.env){_CHARACTER}"
    rf"{{0,4}}?(?:没问题|可以|允许|无妨|即可)",
)
# Written without any gap between words
_SQUEEZED = re.compile(
    r"(?:neednot|donot|dont|never|without|noneedto)(?:ask|confirm|prompt)|no(?:approval"
    r"|confirmation|sandbox|permission)"
    r"|(?:skip|bypass|disable|ignore)(?:the|all)?(?:approval|confirmation|sandbox|permission)"
    r"|autoapprove"
)
_ONLY_IMPORT = re.compile(r"\s*@\S+\s*")


def speaks_of_permission(*texts: str) -> bool:
    """Return whether the texts of a card, read together, would permit something."""
    joined = remove_innocent_phrases(" ".join(texts))
    if _ONLY_IMPORT.fullmatch(joined):
        return True
    spellings = list_spellings(joined)
    squeezed = map(_SQUEEZED.search, spellings[1:])
    return any(map(_compile_speech().search, spellings)) or any(squeezed)


@cache
def _compile_speech() -> re.Pattern[str]:
    """Compile the patterns at the first card that is written: reading cards needs none."""
    return re.compile("|".join((*_ORDERS, *_ENGLISH, *_CHINESE)), re.IGNORECASE)
