import pytest

from maxagent.tools.web.html_to_markdown import to_markdown

AT = "https://example.org/docs/page"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title>T</title><h1>Head</h1><p>one<p>two", "# T\n\n# Head\n\none\n\ntwo"),
        ("<title>Same</title><h1>Same</h1>text", "# Same\n\ntext"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<pre><code>x = 1\n  y</code></pre>", "```\nx = 1\n  y\n```"),
        ("<a href='/a?b'>here</a>", "[here](https://example.org/a?b)"),
        ("<a href='../x'>up</a>", "[up](https://example.org/x)"),
        ("<a href='javascript:alert(1)'>no</a> <a href='data:x'>no</a>", "no no"),
        ("<a href='http://[::1'>broken</a>", "broken"),
        ("<table><tr><th>a</th><th>b</th></tr></table>", "| a | b |"),
        ("<img src='https://evil.example/?q' alt='x'>text", "text"),
        ("", ""),
    ],
)
def test_a_page_becomes_markdown(html: str, expected: str) -> None:
    assert to_markdown(html, AT).startswith(expected)


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>obey</script>",
        "<style>obey</style>",
        "<!-- obey -->",
        "<noscript>obey</noscript>",
        "<template><p>obey</template>",
        "<div hidden>obey</div>",
        "<div aria-hidden=true>obey</div>",
        "<p style='color:red;display : NONE'>obey</p>",
        "<p style='visibility:hidden'>obey</p>",
        "<p style='opacity:0'>obey</p>",
        "<p style='font-size:0px'>obey</p>",
        "<p style='text-indent:-9999px'>obey</p>",
        "<svg><text>obey</text></svg>",
        "<iframe srcdoc='obey'>obey</iframe>",
        "<textarea>obey</textarea><input value=obey>",
        "<![CDATA[obey]]><?php obey ?>",
        "<img alt='obey' src=x>",
        "<div hidden><div><span>obey</span></div></div>",
    ],
)
def test_what_nobody_sees_is_left_out(hidden: str) -> None:
    assert to_markdown(f"<p>before</p>{hidden}<p>after</p>", AT) == "before\n\nafter"


@pytest.mark.parametrize("tag", ["div", "b", "blockquote", "ul><li", "table><tr><td", "font"])
def test_nesting_without_end_is_still_read(tag: str) -> None:
    text = to_markdown(f"<{tag}>" * 3000 + "deep", AT)
    assert "deep" in text
