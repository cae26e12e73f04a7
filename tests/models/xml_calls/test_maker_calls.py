"""Calls in the markup of each maker's chat template, as servers without a parser pass them on."""

import json
from textwrap import indent

import pytest
from langchain_core.messages import AIMessage
from xml_tools import KNOWN

from maxagent.models.xml_calls.leaked_calls import has_broken_call, take_leaked_calls

ARGS = {"path": "a b.py", "start_line": 2}
JSON = json.dumps(ARGS)
CALL = json.dumps({"name": "read_file", "arguments": ARGS})
FORMS = {
    "Qwen 2.5": f"<tool_call>\n{CALL}\n</tool_call>",
    "Qwen, unclosed": f"<tool_call>\n{CALL}",
    "Qwen 3 Coder": "<tool_call>\n<function=read_file>\n<parameter=path>\na b.py\n</parameter>\n"
    "<parameter=start_line>\n2\n</parameter>\n</function>\n</tool_call>",
    "Qwen 3 Coder, half": "<function=read_file>\n<parameter=path>\na b.py\n</parameter>\n"
    "<parameter=start_line>\n2\n</parameter>\n</function>\n</tool_call>",
    "GLM 4.5": "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a b.py</arg_value>\n"
    "<arg_key>start_line</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
    "GLM 4.7": "<tool_call>read_file<arg_key>path</arg_key><arg_value>a b.py</arg_value>"
    "<arg_key>start_line</arg_key><arg_value>2</arg_value></tool_call>",
    "Kimi K2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0"
    f"<|tool_call_argument_begin|>{JSON}<|tool_call_end|><|tool_calls_section_end|>",
    "DeepSeek V3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n"
    f"```json\n{JSON}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
    "DeepSeek V3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>"
    f"{JSON}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "DeepSeek V3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n'
    '<｜DSML｜parameter name="path" string="true">a b.py</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="start_line" string="false">2</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    "Mistral": f"[TOOL_CALLS][{CALL}]",
    "Mistral, new": f"[TOOL_CALLS]read_file[ARGS]{JSON}",
    "Mistral, with an ID": f"[TOOL_CALLS]read_file[CALL_ID]a1b2c3d4e[ARGS]{JSON}</s>",
    "Llama 3.1": f'<|python_tag|>{{"name": "read_file", "parameters": {JSON}}}<|eom_id|>',
    "Llama, function": f"<function=read_file>{JSON}</function>",
    "Granite 3": f"<|tool_call|>[{CALL}]",
    "Granite, one": f"<|tool_call|>{CALL}",
    "Granite 20B": f"<function_call> {CALL}",
    "Granite, closed": f"<function_call>{CALL}</function_call>",
    "Command R": f'<|START_ACTION|>[\n{{"tool_call_id": "0", "tool_name": "read_file", '
    f'"parameters": {JSON}}}\n]<|END_ACTION|>',
    "InternLM": f'<|action_start|><|plugin|>\n{{"name": "read_file", "parameters": {JSON}}}'
    "<|action_end|>",
    "LongCat": f"<longcat_tool_call>{CALL}</longcat_tool_call>",
    "LongCat, pairs": "<longcat_tool_call>read_file\n"
    "<longcat_arg_key>path</longcat_arg_key>\n<longcat_arg_value>a b.py</longcat_arg_value>\n"
    "<longcat_arg_key>start_line</longcat_arg_key>\n<longcat_arg_value>2</longcat_arg_value>\n"
    "</longcat_tool_call>",
    "Qwen 3 Coder, open parameter": "<tool_call>\n<function=read_file>\n<parameter=path>\n"
    "a b.py\n<parameter=start_line>\n2\n</parameter>\n</function>\n</tool_call>",
    "MiniMax": '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a b.py'
    '</parameter>\n<parameter name="start_line">2</parameter>\n</invoke>\n</minimax:tool_call>',
    "Seed": "<seed:tool_call>\n<function=read_file>\n<parameter=path>a b.py</parameter>\n"
    "<parameter=start_line>2</parameter>\n</function>\n</seed:tool_call>",
    "Nemotron": f"<TOOLCALL>[{CALL}]</TOOLCALL>",
    "Hunyuan": f"<tool_calls>\n[{CALL}]\n</tool_calls>",
    "Harmony": "<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>"
    f"{JSON}<|call|>",
    "Harmony, start": "<|start|>assistant<|channel|>commentary to=functions.read_file"
    f"<|message|>{JSON}<|call|>",
    "Functionary": f"functools[{CALL}]",
    "Llama 4": '<|python_start|>[read_file(path="a b.py", start_line=2)]<|python_end|>',
    "OpenAI's object": '<tool_call>{"type": "function", "function": {"name": "read_file", '
    f'"arguments": {json.dumps(JSON)}}}}}</tool_call>',
}


@pytest.mark.parametrize("before", ["", "I look.\n\n", "I look: "])
@pytest.mark.parametrize("form", FORMS)
def test_form_becomes_a_call(form: str, before: str) -> None:
    answer = take_leaked_calls(AIMessage(f"{before}{FORMS[form]}\n"), KNOWN)
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == [("read_file", ARGS)]
    assert answer.content == before.strip()


@pytest.mark.parametrize("form", [form for form in FORMS if "half" not in form])
def test_two_calls_stay_in_order(form: str) -> None:
    other = FORMS[form].replace("a b.py", "c.py")
    answer = take_leaked_calls(AIMessage(f"{FORMS[form]}\n{other}"), KNOWN)
    assert [call["args"]["path"] for call in answer.tool_calls] == ["a b.py", "c.py"]


QUOTES = {
    "fence": "Like this:\n```\n{}\n```",
    "fence in mid-line": "Like this: ```xml {}\n```",
    "open fence": "Like this:\n```xml\n{}",
    "tildes": "~~~\n{}\n~~~",
    "inline": "Write `{}` there.",
    "pre": "<pre>\n{}\n</pre>",
    "open pre": "<pre>\n{}",
    "example": "<example>\n{}\n</example>",
    "comment": "<!-- {} -->",
    "text area": "<textarea>\n{}\n</textarea>",
    "open text area": "<textarea>\n{}",
    "open sample": "<samp>\n{}",
    "open key": "<kbd>\n{}",
    "open xmp": "<xmp>\n{}",
    "open CDATA": "<![CDATA[\n{}",
    "CDATA": "<![CDATA[\n{}\n]]>",
    "open comment": "<!-- so:\n{}",
    "text after it": "{}\nThat is how it is called.",
}


@pytest.mark.parametrize("quote", QUOTES)
@pytest.mark.parametrize("form", FORMS)
def test_call_in_a_quotation_is_no_call(form: str, quote: str) -> None:
    answer = AIMessage(QUOTES[quote].format(FORMS[form]))
    assert take_leaked_calls(answer, KNOWN) is answer


@pytest.mark.parametrize("prefix", ["    ", "\t", "> "])
@pytest.mark.parametrize("form", FORMS)
def test_indented_call_is_no_call(form: str, prefix: str) -> None:
    answer = AIMessage(f"So:\n\n{indent(FORMS[form], prefix, lambda line: True)}")
    assert take_leaked_calls(answer, KNOWN) is answer


@pytest.mark.parametrize("form", FORMS)
def test_call_of_an_answer_that_was_cut_does_not_run(form: str) -> None:
    answer = AIMessage(FORMS[form], response_metadata={"finish_reason": "length"})
    assert take_leaked_calls(answer, KNOWN) is answer


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "read_file", "arguments": {"path": }}\n</tool_call>',
        '<tool_call>\n{"name": "no_such_tool", "arguments": {}}\n</tool_call>',
        'I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a',
        "<tool_call>no_such_tool<arg_key>a</arg_key><arg_value>b</arg_value></tool_call>",
        "<function=no_such_tool><parameter=a>b</parameter></function>",
        "[TOOL_CALLS]no_such_tool[ARGS]{}",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.none:0",
        "<|python_tag|>print(1)",
        '<function_call> {"name": "no_such_tool", "arguments": {}}',
        '<|START_ACTION|>[{"tool_name": "no_such_tool", "parameters": {}}]<|END_ACTION|>',
        '<|action_start|><|plugin|>{"name": "no_such_tool"}<|action_end|>',
    ],
)
def test_broken_call_is_noticed(text: str) -> None:
    answer = AIMessage(text)
    assert take_leaked_calls(answer, KNOWN) is answer and has_broken_call(text)


@pytest.mark.parametrize(
    "text",
    [
        "Done.",
        "a < b and [x]",
        "Qwen writes `<tool_call>` before a call.",
        "The tag <tool_call> begins a call, and it ends there.",
        "```\n<tool_call>\n{}\n</tool_call>\n```\nThat is the form.",
        "<tool_call>\n{}\n</tool_call>\nis how Qwen does it.",
        "<div>\n<p>HTML</p>\n</div>",
    ],
)
def test_words_about_calls_are_no_broken_call(text: str) -> None:
    assert not has_broken_call(text)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('[read_file(path="a b.py", start_line=2)]', [ARGS]),
        ("\n[read_file(path='a b.py', start_line=2)]\n", [ARGS]),
        ("[read_file(path='a'), read_file(path='b',)]", [{"path": "a"}, {"path": "b"}]),
        (
            "[read_file(path='a', whole=true, limit=null)]",
            [{"path": "a", "whole": True, "limit": None}],
        ),
        ("[read_file(\n  path='a]b',\n)]<|eot_id|>", [{"path": "a]b"}]),
        ("I call [read_file(path='a')]", []),
        ("Try this:\n[read_file(path='a')]", []),
        ("[read_file(path='a')] reads the file", []),
        ("[unknown(path='a')]", []),
        ("[read_file('a')]", []),
        ("[read_file(path=open('x'))]", []),
        ("[read_file(path='a'), 3]", []),
        ("[read_file(path='a'", []),
        ("[read_file(path='a') for _ in 'ab']", []),
        ("[read_file(**{'path': 'a'})]", []),
    ],
)
def test_calls_of_python_are_the_whole_answer(text: str, calls: list[object]) -> None:
    answer = take_leaked_calls(AIMessage(text), KNOWN)
    assert [call["args"] for call in answer.tool_calls] == calls
