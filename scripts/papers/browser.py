#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Open the page of the papers' experiments in a headless Chromium, and check what only a browser can
tell: each place is visible, nothing is asked for outside of the page, the console is empty, and nothing
is wider than the window, that of a telephone included, on a light and on a dark ground. Pictures of the
windows are written for a look by eye.
"""

import argparse
import base64
import json
import sys
from pathlib import Path

import plan as planning
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

# width of the window, colour scheme
WINDOWS = ((360, "light"), (360, "dark"), (1280, "light"), (1280, "dark"))

# Return: those of the names whose place is not visible
INVISIBLE = """
return arguments[0].filter(id => {
    const place = document.getElementById(id)?.closest("section");
    return !place || !place.checkVisibility() || place.getBoundingClientRect().height < 10;
});
"""

# Return: the elements that stick out of the window, but for what scrolls in a box of its own
OUTSIDE = """
const scrolls = element => {
    for (let box = element.parentElement; box; box = box.parentElement)
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX) && box !== document.body)
            return true;
    return false;
};
return [...document.body.querySelectorAll("*")]
    .filter(one => one.getBoundingClientRect().right > arguments[0] + 1 && !scrolls(one))
    .slice(0, 5).map(one => `${one.tagName} ${one.id} ${one.className}: ${one.textContent.slice(0, 40)}`);
"""

# Return: brightness of the ground, 0 to 255
GROUND = """
const colour = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
return colour[3] === 0 ? null : (colour[0] + colour[1] + colour[2]) / 3;
"""


def browser():
    """A headless Chromium."""
    options = webdriver.ChromeOptions()
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def requests(driver):
    """What the browser has asked for since the last call."""
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            yield message["params"]["request"]["url"]


def show(driver, url, width, scheme):
    """Load a page in a window of this width and colour scheme."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get(url)


def picture(driver, file, width, height):
    """Write the upper part of the page."""
    size = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": size, "captureBeyondViewport": True})
    file.write_bytes(base64.b64decode(shot["data"]))


def faults(driver, url, names, pictures):
    """Texts of what is wrong."""
    grounds = {}
    for width, scheme in WINDOWS:
        window = f"{width} pixels, {scheme}"
        show(driver, url, width, scheme)
        for one in driver.execute_script(INVISIBLE, names):
            yield f"{window}: {one} is not visible"
        for one in driver.execute_script(OUTSIDE, width):
            yield f"{window}: wider than the window: {one}"
        for one in requests(driver):
            if one.split("#")[0] != url and not one.startswith("data:"):
                yield f"{window}: the page asks for {one}"
        for one in driver.get_log("browser"):
            yield f"{window}: console: {one['message']}"
        grounds[scheme] = driver.execute_script(GROUND)
        picture(driver, pictures / f"{width}-{scheme}.png", width, 12000)
    if None in grounds.values() or grounds["dark"] > 80 or grounds["light"] < 175:
        yield f"brightness of the ground: {grounds}"
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    printed = driver.execute_cdp_cmd("Page.printToPDF", {})
    (pictures / "print.pdf").write_bytes(base64.b64decode(printed["data"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="HTML file")
    parser.add_argument("pictures", type=Path, help="directory for pictures")
    args = parser.parse_args()
    args.pictures.mkdir(parents=True, exist_ok=True)
    places = planning.read("figures.toml")["figure"]
    names = [one for place in places for one in [place["id"], *place.get("also", [])]]
    driver = browser()
    try:
        found = list(faults(driver, args.page.resolve().as_uri(), names, args.pictures))
    finally:
        driver.quit()
    for one in found:
        print(one, file=sys.stderr)
    print(f"{len(names)} places, {len(WINDOWS)} windows: {len(found)} faults")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
