"""One pass through the pages of the service in Chromium, as a person uses them."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from service.program import DOCUMENTS, serve, write


class Browser:
    def __init__(self, url: str, screenshots: Path | None) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900", "--lang=en-US"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, Driver(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")))
        self.url = url
        self.screenshots = screenshots

    def open(self, path: str) -> None:
        self.driver.get(self.url + path)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.until(lambda: next(iter(self.all(selector)), None), f"an element {selector}")

    def text(self, selector: str) -> str:
        return self.one(selector).text

    def link(self, text: str) -> WebElement:
        return self.driver.find_element(By.PARTIAL_LINK_TEXT, text)

    def press(self, *keys: str) -> None:
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def until(self, condition, what: str, seconds: float = 15):
        """Waits for a condition, whose elements may be replaced during the check."""
        end = time.monotonic() + seconds
        while True:
            try:
                if value := condition():
                    return value
            except Exception as error:
                last = error
            else:
                last = None
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what} at {self.driver.current_url}: {last or ''}")
            time.sleep(0.05)

    def titles(self) -> list[str]:
        return [link.text for link in self.all("#results a")]

    def until_count(self, pattern: str) -> None:
        self.until(lambda: re.fullmatch(pattern, self.text("#count")), f"the count {pattern}")

    def check(self, selector: str) -> None:
        """Checks a box. New counts may move it between the press and the release of the button: then there was no click."""
        def is_checked() -> bool:
            box = self.one(selector)
            if not box.is_selected():
                box.click()
            return box.is_selected()

        self.until(is_checked, f"the checked box {selector}")

    def fill(self, selector: str, text: str) -> None:
        field = self.one(selector)
        field.clear()
        field.send_keys(text)

    def emulate(self, *, width: int = 0, dark: bool = False) -> None:
        scheme = "dark" if dark else "light"
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        if width:
            metrics = {"width": width, "height": 720, "deviceScaleFactor": 1, "mobile": False}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        else:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def shoot(self, name: str) -> None:
        if self.screenshots:
            self.driver.save_screenshot(str(self.screenshots / f"{name}.png"))

    def problems(self) -> list[str]:
        """The errors in the console. Pages that answer with an error on purpose are no problem."""
        expected = re.compile(r"/(query|edit|operations)\S* - Failed to load resource")
        entries = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        return [entry for entry in entries if not expected.search(entry)]


def search_as_you_type(browser: Browser, folder: Path) -> None:
    browser.open("/")
    browser.until_count(f"{len(DOCUMENTS)} results")
    for key in "heronn":
        browser.press(key)
    browser.until(lambda: "The grey heron" in browser.titles(), "the heron, in spite of a typo")
    assert [mark.text.lower() for mark in browser.all("#results mark")].count("heron") >= 2
    assert browser.driver.current_url.endswith("?q=heronn")
    browser.shoot("search-typo")


def choose_facets(browser: Browser, folder: Path) -> None:
    browser.open("/?q=otter")
    browser.until_count("34 results")
    browser.shoot("search")
    browser.check("#facets input[name='facet.kind'][value='Swift']")
    browser.until_count("1 result")
    assert browser.titles() == ["Counts the otters of a lake."], browser.titles()
    browser.until(lambda: browser.all("#facets input[value='Text']"), "the other values of the facet")
    browser.check("#facets input[value='Markdown']")
    browser.until_count("2 results")
    Select(browser.one("#sort")).select_by_value("title")
    browser.until(lambda: browser.titles() == sorted(browser.titles()), "results ordered by title")


def follow_changes(browser: Browser, folder: Path) -> None:
    browser.open("/?q=salamander")
    browser.until_count("0 results")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("window")
    browser.open("/?q=salamander")
    browser.until_count("0 results")
    write(folder, {"salamander.txt": "A salamander hides under a stone.\n"})
    browser.until_count("1 result")
    second = browser.driver.current_window_handle
    browser.driver.switch_to.window(first)
    browser.until_count("1 result")
    browser.driver.switch_to.window(second)
    browser.driver.close()
    browser.driver.switch_to.window(first)


def edit(browser: Browser, folder: Path) -> None:
    browser.open("/?q=kingfisher")
    browser.until(lambda: browser.link("The kingfisher"), "the document").click()
    browser.until(lambda: "A kingfisher dives" in browser.text("#body"), "the text")
    browser.shoot("document")
    browser.link("Edit").click()
    browser.fill("#title", "The blue kingfisher")
    browser.fill("[name='added.key']", "year")
    browser.fill("[name='added.value']", "2024")
    Select(browser.one("[name='added.kind']")).select_by_visible_text("number")
    browser.fill("#actor", "Anna")
    browser.fill("#reason", "more precise")
    browser.shoot("edit")
    browser.one("button.primary").click()
    browser.until(lambda: browser.text("h1") == "The blue kingfisher", "the new title")
    assert "2024" in browser.text("dl")


def undo_and_redo(browser: Browser, folder: Path) -> None:
    browser.driver.find_element(By.XPATH, "//button[contains(., 'Undo: more precise')]").click()
    browser.until(lambda: browser.text("h1") == "The kingfisher", "the old title")
    browser.driver.find_element(By.XPATH, "//button[contains(., 'Redo: more precise')]").click()
    browser.until(lambda: browser.text("h1") == "The blue kingfisher", "the new title")


def read_history(browser: Browser, folder: Path) -> None:
    browser.link("History").click()
    browser.until(lambda: len(browser.all("main section")) == 3, "three changes")
    assert "update by Anna" in browser.all("main section")[0].text and "redo" in browser.all("main section")[0].text
    oldest = browser.all("main section")[2]
    assert "update by Anna" in oldest.text and "more precise" in oldest.text, oldest.text
    removed = [line.text for line in oldest.find_elements(By.CSS_SELECTOR, ".removed")]
    assert removed[0] == "The kingfisher" and len(removed) == 2, f"more than the title and the metadata: {removed}"
    browser.shoot("history")
    browser.all("main section")[1].find_element(By.PARTIAL_LINK_TEXT, "at this moment").click()
    browser.until(lambda: browser.text("h1") == "The kingfisher", "the document before the redo")
    assert "The document as it was at" in browser.text("[role=status].note")
    browser.shoot("moment")


def resolve_a_conflict(browser: Browser, folder: Path) -> None:
    browser.open("/?q=badger")
    browser.until(lambda: browser.link("badger.txt"), "the document").click()
    browser.until(lambda: browser.link("Edit"), "the link to the form").click()
    first = browser.driver.current_window_handle
    form = browser.one("#title") and browser.driver.current_url
    browser.driver.switch_to.new_window("window")
    browser.driver.get(form)
    browser.fill("#title", "First title")
    browser.fill("#body", "First text.")
    browser.one("button.primary").click()
    browser.until(lambda: browser.text("h1") == "First title", "the first edit")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.fill("#title", "Second title")
    browser.fill("#body", "Second text.")
    browser.one("button.primary").click()
    browser.until(lambda: "Someone else" in browser.text("h1"), "the conflict")
    browser.shoot("conflict")
    browser.one("input[name='choose.body'][value='theirs']").click()
    browser.one("button.primary").click()
    browser.until(lambda: browser.text("h1") == "Second title", "the own title")
    assert browser.text("#body") == "First text."


def query(browser: Browser, folder: Path) -> None:
    browser.open("/query")
    browser.link("Members of the metadata").click()
    browser.until(lambda: len(browser.all("tbody tr")) >= 3, "the rows of the example")
    browser.shoot("query")
    browser.link("Something that isn't allowed").click()
    browser.until(lambda: "Not allowed here" in browser.text("[role=alert]"), "the refusal")
    browser.shoot("query-refused")
    browser.open("/schema")
    assert "documentText" in browser.text("main")
    browser.shoot("schema")
    browser.open("/operations")
    assert "WAL file" in browser.text("main")
    browser.shoot("operations")


def use_the_keyboard_only(browser: Browser, folder: Path) -> None:
    browser.open("/schema")
    browser.press(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to the content"
    browser.press(Keys.TAB, Keys.ENTER)
    browser.until(lambda: browser.all("#q"), "the search page")
    browser.press(Keys.TAB, Keys.TAB)
    browser.press("/", *"heron")
    browser.until(lambda: browser.titles()[:1] == ["The grey heron"], "the heron")
    browser.press(Keys.ARROW_DOWN)
    browser.until(lambda: browser.driver.switch_to.active_element.text == "The grey heron", "the focus on the result")
    browser.shoot("keyboard")
    browser.press(Keys.ENTER)
    browser.until(lambda: browser.text("h1") == "The grey heron", "the document")


def show_foreign_text(browser: Browser, folder: Path) -> None:
    browser.open("/?q=onerror")
    browser.until(lambda: "attack.txt" in browser.text("#results"), "the attack")
    browser.link("attack.txt").click()
    browser.until(lambda: "<script>" in browser.text("#body"), "the text")
    assert browser.driver.title != "attacked"
    browser.open("/?q=" + "%D8%AB%D8%B9%D9%84%D8%A8")
    snippet = browser.until(lambda: browser.one("#results .snippet"), "the text from right to left")
    assert snippet.value_of_css_property("direction") == "rtl"
    browser.shoot("right-to-left")


def work_without_javascript(browser: Browser, folder: Path) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.open("/")
    browser.one("#q").send_keys("otter", Keys.ENTER)
    browser.until_count("34 results")
    browser.link("More results").click()
    browser.until(lambda: len(browser.titles()) == 14, "the second page")
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def fit_narrow_and_dark(browser: Browser, folder: Path) -> None:
    pages = ["/?q=otter", "/documents/1", "/documents/1/edit", "/documents/1/history", "/query", "/schema", "/operations"]
    browser.emulate(width=320, dark=True)
    for page in pages:
        browser.open(page)
        script = "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
        assert browser.driver.execute_script(script) <= 0, f"{page} is wider than 320 px"
        browser.shoot("narrow-" + re.sub(r"\W+", "-", page).strip("-"))
    browser.emulate(dark=True)
    browser.open("/?q=otter")
    browser.until_count("34 results")
    browser.shoot("search-dark")
    browser.emulate()


PASSES = [
    search_as_you_type, choose_facets, follow_changes, edit, undo_and_redo, read_history, resolve_a_conflict, query,
    use_the_keyboard_only, show_foreign_text, work_without_javascript, fit_narrow_and_dark,
]


def main(program: str, screenshots: Path | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = serve(program, folder, DOCUMENTS)
        browser = Browser(service.url, screenshots)
        try:
            for step in PASSES:
                step(browser, folder)
                problems = browser.problems()
                assert not problems, problems
                print(f"  {step.__name__.replace('_', ' ')}", flush=True)
        except BaseException:
            browser.driver.save_screenshot(str((screenshots or Path(tempfile.gettempdir())) / "failure.png"))
            raise
        finally:
            browser.driver.quit()
            code = service.stop()
        assert code == 0, f"the service ended with {code}: {(folder / 'service.log').read_text()}"


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None)
