"""Look at a thread on the page as a person does, run by Playwright's Python: print what changes.

A line is JSON: the text of the thread's row in the list, of the conversation, of its question, and
of its files, which another page shows.
"""

import json
import sys
import time

from playwright.sync_api import sync_playwright  # pyright: ignore

ADDRESS, BROWSER = sys.argv[1:]
READ = """(names) =>
  [...document.querySelectorAll(names)].map((each) => each.innerText).join(" ")"""
PARTS = {"row": ".row .facts, .row .asks", "thread": "#panel", "question": ".question"}


def main() -> None:
    """Print each change until the end of this process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(locale="en-US")
        page.goto(ADDRESS)
        page.wait_for_selector(".inbox", state="attached")
        print("{}", flush=True)
        page.click(".row", timeout=600_000)
        files = browser.new_page(locale="en-US")
        files.goto(ADDRESS)
        files.click(".row")
        files.click("#tab-files")
        seen = dict[str, str]()
        while True:
            texts = {name: page.evaluate(READ, part) for name, part in PARTS.items()}
            texts["files"] = files.evaluate(READ, "#panel")
            if texts != seen:
                seen = texts
                print(json.dumps(texts), flush=True)
            time.sleep(0.1)


if __name__ == "__main__":
    main()
