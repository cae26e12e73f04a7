from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.search import search_tools

TOOLS = [
    ToolDefinition("github", "search_repos", "Search for repositories."),
    ToolDefinition("github", "createIssue", "Open an issue in a repository."),
    ToolDefinition("db", "query", "Run SQL.", {"properties": {"sql": {}}}),
    ToolDefinition("weather", "forecast", "天气 of tomorrow"),
]


def find(query: str) -> list[str]:
    return [tool.name for tool in search_tools(TOOLS, query, 5)]


def test_words_of_names_descriptions_and_arguments_are_found() -> None:
    assert find("open an issue")[0] == "createIssue"
    assert find("searching repository repos")[0] == "search_repos"
    assert find("sql") == ["query"]
    assert find("天气") == ["forecast"]
    assert find("forecast") == ["forecast"] and find("github")[0] in ("search_repos", "createIssue")
    assert find("nothing like it") == find("") == []
