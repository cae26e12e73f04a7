"""The table of known forms in `docs/secrets.md`, from the rules: `make secret-rules` writes it."""

from pathlib import Path

from maxagent.config.security.secrets.rules import DATA, read_data

PAGE = Path(__file__).parents[2] / "docs/secrets.md"
BEGIN, END = "<!-- known forms: make secret-rules -->\n", "<!-- end -->"


def build_table() -> str:
    """Return what the rules find: by itself, and only after the name of its service."""
    rows = [row for name in DATA for row in read_data(name)["rules"]]
    alone = sorted({row["name"] for row in rows if "context" not in row}, key=str.lower)
    after = sorted({row["name"] for row in rows if "context" in row} - {*alone}, key=str.lower)
    return (
        f"{BEGIN}\n| | known |\n|---|---|\n| by its form | {', '.join(alone)} |\n"
        f"| after the name of its service, as in `datadog: …` | {', '.join(after)} |\n\n{END}"
    )


def replace_table(page: str) -> str:
    """Return the page with the table of today."""
    before, _, remainder = page.partition(BEGIN)
    return f"{before}{build_table()}{remainder.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(replace_table(PAGE.read_text("utf-8")), "utf-8")
