"""What a person does on the page, and what must be seen then: run by Playwright's Python.

Prints what each step ended with, as JSON.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright  # pyright: ignore

PLACE = json.loads(sys.argv[1])
WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 360, "height": 740}
RUN_AXE = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .map(({ id, impact, nodes }) =>
    `${impact} ${id}: ${nodes.map((each) => each.target).slice(0, 3)}`)"""


class Tour:
    """One browser; each method is a step, and returns what it found or raises."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.page = browser, self.open(browser)
        self.requests = list[str]()

    def open(self, browser: Browser, address: str = "", **options: Any) -> Page:
        """Open the page in a context of its own, with the token."""
        context = browser.new_context(**{"viewport": WIDE, "locale": "en-US", **options})
        context.add_init_script(path=PLACE["axe"])
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.goto(address or PLACE["address"])
        return page

    def show(self, page: Page, thread: str, kind: str = ".talk") -> None:
        """Show a thread."""
        page.evaluate(f"location.hash = '#/t/{PLACE[thread]}'")
        page.wait_for_selector(f"{kind} > *")

    def show_pane(self, page: Page, name: str) -> None:
        """Show files or steps, or for `talk` neither."""
        for each in ("files", "steps"):
            button = page.locator(f"#tab-{each}")
            if (button.get_attribute("aria-pressed") == "true") != (each == name):
                button.click()

    def take_picture(self, page: Page, name: str) -> None:
        """Take a picture of what is seen."""
        page.screenshot(path=str(Path(PLACE["pictures"], f"{name}.png")))

    def hide_the_token(self) -> str:
        """The token is not left in the address."""
        self.page.wait_for_selector(".row")
        assert "token" not in self.page.url, self.page.url
        return "done"

    def answer_by_keyboard(self) -> str:
        """A question is found and answered with keys alone."""
        page = self.page
        page.keyboard.press("Tab")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.keyboard.type("script tour")
        expect(page.locator("li .row")).to_have_count(1)
        self._tab_to("li .row")
        page.keyboard.press("Enter")
        page.wait_for_selector(".question button.primary")
        self.take_picture(page, "question")
        self._tab_to(".question button.primary")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="19 %").wait_for()
        self._tab_to(".question .options button:nth-child(2)")
        page.keyboard.press("Enter")
        page.wait_for_selector(".question .diff")
        self._tab_to(".question button.primary")
        page.keyboard.press("Enter")
        page.wait_for_selector(".markdown table")
        expect(page.locator(".busy")).to_have_count(0, timeout=30_000)
        return "done"

    def _tab_to(self, selector: str) -> None:
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("(one) => document.activeElement?.matches(one)", selector):
                return
        raise AssertionError(f"no key leads to {selector}")

    def stop_a_run(self) -> str:
        """A message is sent, its run is stopped."""
        page = self.page
        page.locator(".composer textarea").fill("Go on.")
        page.keyboard.press("Enter")
        page.wait_for_selector(".busy")
        page.get_by_role("button", name="Stop").click()
        page.wait_for_selector(".note.warn")
        return "done"

    def undo_a_file(self) -> str:
        """Files are shown, undone, and done again."""
        page = self.page
        self.show_pane(page, "files")
        page.wait_for_selector(".files .diff")
        self.take_picture(page, "files")
        for name in ("Undo cart.py", "Undo last turn"):
            page.get_by_role("button", name=name).click()
            page.wait_for_selector(".files .note")
            page.get_by_role("button", name="Redo").click()
            page.wait_for_selector(".files .diff")
        expect(page.get_by_role("button", name="Redo")).to_have_count(0)
        return "done"

    def fork_a_step(self) -> str:
        """A rewind leaves a branch of the tree; a fork opens its thread."""
        page, before = self.page, self.page.url
        self.show_pane(page, "steps")
        page.wait_for_selector(".steps li")
        page.get_by_role("button", name="Rewind to here").nth(-2).click()
        page.locator(".steps .danger").click()
        page.locator(".branch summary").click()
        self.take_picture(page, "steps")
        page.get_by_role("button", name="Fork").nth(1).click()
        page.wait_for_function("(old) => location.href !== old", arg=before)
        page.wait_for_selector(".talk > *")
        return "done"

    def keep_a_card(self) -> str:
        """What the model proposes to remember is changed and kept, or dropped."""
        page = self.page
        page.evaluate("location.hash = '#/memory'")
        page.fill(".question textarea >> nth=0", "Releases are made on Mondays.")
        page.locator(".question .primary >> nth=0").click()
        expect(page.locator(".question")).to_have_count(1)
        page.locator(".question .danger").click()
        page.wait_for_selector(".empty")
        return "done"

    def end_an_editors_thread(self) -> str:
        """A thread that an editor began and a terminal answered is ended on the page."""
        page = self.page
        self.show(page, "doors")
        expect(page.get_by_text("Begun.")).to_be_visible()
        page.locator(".composer textarea").fill("End it.")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Yes Only this time").click()
        expect(page.get_by_text("Ended.")).to_be_visible()
        return "done"

    def read_attacks(self) -> str:
        """Nothing of hostile texts runs, loads, or becomes a forbidden element."""
        page = self.page
        loaded = list[str]()
        page.on("request", lambda request: loaded.append(request.url))
        page.on("dialog", lambda dialog: loaded.append("a dialog"))
        self.show(page, "hostile")
        page.wait_for_selector(".answer .markdown")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        for tab in ("talk", "files", "steps"):
            self.show_pane(page, tab)
            page.wait_for_timeout(300)
            traps = page.evaluate(PLACE["traps"])
            assert not traps, traps
        own = PLACE["address"].partition("/#")[0]
        foreign = [url for url in loaded if not url.startswith(own)]
        assert not foreign, foreign
        return "done"

    def open_a_long_thread(self) -> str:
        """A thread of 1,000 messages opens at its end, and scrolls to its beginning."""
        page = self.open(self.browser)
        page.wait_for_selector(".row")
        started = page.evaluate("performance.now()")
        self.show(page, "long")
        page.wait_for_selector(".answer table")
        took = page.evaluate("performance.now()") - started
        distance = page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => { const p = document.getElementById"
            "('panel'); done(p.scrollHeight - p.scrollTop - p.clientHeight); }))"
        )
        assert distance < 100, f"{distance} px from the end"
        while page.locator(".talk > .link").count():
            page.locator(".talk > .link").click()
        count = page.locator(".talk > *").count()
        page.evaluate("document.getElementById('panel').scrollTop = 0")
        expect(page.locator(".human").first).to_be_in_viewport()
        size = page.evaluate(
            "fetch(`/api/threads/${location.hash.slice(4)}`, { headers: { authorization:"
            " `Bearer ${localStorage.getItem('mcode-token')}` } })"
            ".then((answer) => answer.text()).then((text) => text.length)"
        )
        page.context.close()
        return f"done: {count} entries, {size / 1000:.0f} kB, {took:.0f} ms"

    def change_the_language(self) -> str:
        """Every word changes at once, and the page stays Chinese when it is loaded again."""
        page = self.page
        self.show(page, "changed")
        page.select_option(".language", "zh")
        page.wait_for_selector("html[lang=zh-CN] .question button:has-text('拒绝')")
        english = page.evaluate("document.body.innerText").splitlines()
        english_labels = [line for line in english if line in ("No", "Yes", "Chat", "Send", "Mode")]
        assert not english_labels, english_labels
        page.reload()
        page.wait_for_selector("html[lang=zh-CN] .question")
        page.select_option(".language", "en")
        page.wait_for_selector("html[lang=en] .question button:has-text('No')")
        return "done"

    def edit_a_call(self) -> str:
        """A wrong change is answered with a sentence; the changed call is what runs."""
        page = self.page
        self.show(page, "changed")
        self._tab_to(".question button.link")
        page.keyboard.press("Enter")
        expect(page.locator(".edit textarea")).to_be_focused()
        page.keyboard.press("Control+A")
        page.keyboard.type("echo b > changed && cat changed")
        self.take_picture(page, "edit")
        self._tab_to(".edit .primary")
        page.keyboard.press("Enter")
        page.wait_for_selector(".call:has-text('echo b'):has-text('changed by you')")
        page.wait_for_selector(".answer")
        page.click(".call summary")
        expect(page.locator(".call .output")).to_have_text("b")
        return "done"

    def edit_a_plan(self) -> str:
        """The plan is shown whole, is saved as edited, and is then carried out."""
        page = self.page
        self.show(page, "planned")
        page.wait_for_selector(".question .markdown li em")
        self.take_picture(page, "plan")
        page.click(".question button.link")
        page.fill(".edit textarea", "# Plan\n\n1. Nothing but **this**.\n")
        page.click(".edit .primary")
        page.wait_for_selector(".question .markdown li strong")
        page.click(".question .choices button.primary")
        page.wait_for_selector(".answer:has-text('carried out')")
        return "done"

    def open_a_sub_agent(self) -> str:
        """The calls of a sub-agent open below its row."""
        page = self.page
        self.show(page, "sent")
        page.click(".child > summary")
        page.wait_for_selector(".child .call:has-text('f1.txt')")
        self.take_picture(page, "sub-agent")
        return "done"

    def check_with_axe(self) -> str:
        """axe-core finds no serious fault in any view."""
        faults, views = list[str](), 0
        for scheme, language in (("light", "en"), ("dark", "en"), ("light", "zh")):
            for name, size in (("wide", WIDE), ("narrow", NARROW)):
                address = PLACE["chinese"] if language == "zh" else ""
                page = self.open(self.browser, address, color_scheme=scheme, viewport=size)
                for view in ("#/", "#/new", "#/memory", *self._list_views()):
                    thread, _, tab = view.partition("|")
                    page.evaluate("(hash) => { location.hash = hash; }", thread)
                    page.wait_for_timeout(400)
                    if tab:
                        self.show_pane(page, tab)
                        page.wait_for_timeout(600)
                    for link in ("summary", ".question button.link"):
                        for node in page.locator(link).all():
                            node.click()
                            page.wait_for_timeout(100)
                    views += 1
                    seen = f"{language}-{scheme}-{name}-{tab or thread.strip('#/') or 'inbox'}"
                    self.take_picture(page, seen)
                    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    if overflow > 0:
                        faults.append(f"{seen}: {overflow} px too wide")
                    faults += [f"{seen}: {each}" for each in page.evaluate(RUN_AXE)]
                page.context.close()
        serious = [each for each in faults if "minor" not in each and "moderate" not in each]
        assert not serious, "; ".join(dict.fromkeys(serious))
        rest = "; ".join(dict.fromkeys(each.partition(": ")[2] for each in faults))
        return f"done: {views} views; lesser remarks: {rest or 'none'}"

    def _list_views(self) -> list[str]:
        tour = [f"#/t/{PLACE['tour']}|{tab}" for tab in ("talk", "files", "steps")]
        return [*tour, *(f"#/t/{PLACE[name]}" for name in ("changed", "planned", "sent"))]


STEPS: dict[str, Callable[[Tour], str]] = {
    "the token leaves the address": Tour.hide_the_token,
    "questions answered by keyboard": Tour.answer_by_keyboard,
    "message, stop": Tour.stop_a_run,
    "files, undo, redo": Tour.undo_a_file,
    "steps as a tree: rewind, fork": Tour.fork_a_step,
    "a thread of an editor, answered in a terminal": Tour.end_an_editors_thread,
    "axe-core": Tour.check_with_axe,
    "language": Tour.change_the_language,
    "memory: keep, drop": Tour.keep_a_card,
    "a call changed by keyboard": Tour.edit_a_call,
    "a plan edited": Tour.edit_a_plan,
    "calls of a sub-agent": Tour.open_a_sub_agent,
    "hostile texts": Tour.read_attacks,
    "1,000 messages": Tour.open_a_long_thread,
}


def take_pictures(browser: Browser) -> None:
    """Take a picture of a thread's open question in each size."""
    for name, (width, height) in PLACE["views"].items():
        page = browser.new_page(viewport={"width": width, "height": height}, locale="en-US")
        page.goto(PLACE["address"])
        page.wait_for_selector(".inbox", state="attached")
        page.evaluate(f"location.hash = '#/t/{PLACE['thread']}'")
        page.wait_for_selector(".question .diff")
        page.wait_for_timeout(500)  # until the page has scrolled to its end
        page.screenshot(path=str(Path(PLACE["pictures"], name)))


def main() -> None:
    """Do all steps; with `views` take pictures alone."""
    ends = dict[str, str]()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=PLACE["browser"], args=["--no-sandbox"]
        )
        if "views" in PLACE:
            take_pictures(browser)
            return
        tour = Tour(browser)
        for name, step in STEPS.items():
            try:
                ends[name] = step(tour)
            except Exception as error:
                tour.take_picture(tour.page, f"failed-{len(ends)}")
                ends[name] = f"failed: {error}".replace("\n", " ").replace("|", "/")[:1500]
        browser.close()
    print(json.dumps(ends))


if __name__ == "__main__":
    main()
