"""Clicks through pages of `nnrt plan` in a headless Chromium.

usage: browser_test.py NNRT FOLDER_OF_CASES FOLDER_OF_MODELS CHROMIUM CHROMEDRIVER PICTURES

PICTURES is a folder for screenshots of a large model, to look at.
"""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from browser import Browser
from picture import Picture


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def check_page(browser):
    nodes = browser.script("return plan.nodes.length")
    check(browser.script("return document.querySelectorAll('.node').length") == nodes, "every node is drawn")
    check(browser.script("""
        const boxes = [...document.querySelectorAll('.node rect.box')].map((box) => box.getBoundingClientRect());
        return boxes.every((a, i) => boxes.every((b, k) => i === k || a.right <= b.left + 1 || b.right <= a.left + 1 ||
                                                           a.bottom <= b.top + 1 || b.bottom <= a.top + 1));"""),
          "no two nodes overlap")
    check(browser.script("""
        return [...document.querySelectorAll('.node')].every((node) => {
          const box = node.querySelector('.box').getBoundingClientRect();
          return [...node.querySelectorAll('text')].every((text) => text.getBoundingClientRect().right <= box.right);
        });"""), "every label fits into its node")

    browser.click("#node-1")
    check(browser.script("return document.querySelector('#details h2').textContent") == "CONV2D",
          "a click on a node shows its operator")
    details = browser.script("return document.querySelector('#details').textContent")
    check("FLOAT32 [" in details and "strides" in details, "its tensors and attributes")
    check(browser.script("return document.querySelectorAll('.edge.lit').length") > 0, "its edges light up")

    browser.click("[data-view=operations]")
    rows = "document.querySelectorAll('#operations tbody tr')"
    check(browser.script(f"return {rows}.length") == browser.script("return operations.length"), "a row for each operation")
    browser.click("#operations tbody tr:last-child")
    check(browser.script("return document.querySelector('#details h2').textContent") ==
          browser.script(f"return [...{rows}].at(-1).children[1].textContent"), "a click on a row selects its operation")
    browser.click("#operations th:nth-child(2) button")
    names = browser.script(f"return [...{rows}].map((row) => row.children[1].textContent)")
    check(names == sorted(names), "a click on a title sorts the rows")

    browser.click("[data-view=memory]")
    check(browser.script("return document.querySelectorAll('#memory .block').length") > 1, "memory is drawn")
    check(browser.script("""
        return [...document.querySelectorAll('#memory svg')].every((svg, i) => {
          const tops = [...svg.querySelectorAll('.block')].map((block) => Number(block.getAttribute('y')));
          const order = tops.map((_, k) => k).sort((a, b) => plan.arenas[i].blocks[a].offset - plan.arenas[i].blocks[b].offset);
          return tops.length && order.every((k, at) => !at || tops[order[at - 1]] <= tops[k]);
        });"""),
          "addresses grow from top to bottom")
    check_errors(browser)


def check_layers(browser):
    check(browser.script("return document.querySelector('#node-1 .layer').textContent").startswith("Conv /features/0/conv"),
          "a node shows its layer")
    check(browser.script("""
        return [...document.querySelectorAll('.node')].every((node) => {
          const box = node.querySelector('.box').getBoundingClientRect();
          return [...node.querySelectorAll('text')].every((text) => {
            const at = text.getBoundingClientRect();
            return at.right <= box.right && at.bottom <= box.bottom && at.top >= box.top;
          });
        });"""), "every line fits into its node")


def check_search(browser):
    all_rows = browser.script("return operations.length")
    counts = "return [document.querySelectorAll('.node.found').length, document.querySelectorAll('#operations tbody tr:not([hidden])').length]"
    for text, what in [("conv2d", "type"), ("/features/0/CONV", "name")]:
        browser.clear("#search input")
        browser.type("#search input", text)
        hits = browser.script(f"return operations.filter(({{node}}) => (node.label + node.layer).toLowerCase().includes('{text.lower()}')).length")
        check(0 < hits < all_rows and browser.script(counts) == [hits, hits], f"operations are found by their {what}")
        check(browser.script("return document.querySelector('#search output').textContent") == f"{hits} of {all_rows}",
              "and counted")
    browser.type("#search input", "\ue007")  # Enter
    check(browser.script("return selected === found[0] && document.querySelectorAll('.node.selected').length === 1"),
          "Enter selects the first")
    browser.type("#search input", "no such name")
    check(browser.script(counts) == [0, 0], "what is nowhere is not found")
    before = browser.script("return view.scale")
    browser.type("#search input", "+")
    check(browser.script("return view.scale") == before, "keys in the field do not move the graph")
    browser.script("field.value = ''; field.dispatchEvent(new Event('input'))")
    check(browser.script(counts) == [0, all_rows], "an empty field shows all")


def check_quantization(browser):
    index = browser.script("""return plan.nodes.findIndex((node) =>
        node.kind === 'operation' && node.outputs.some((id) => plan.tensors[id].scales.length))""")
    check(index >= 0, "there is a quantized operation")
    browser.script(f"select({index})")
    said = browser.script("return [...document.querySelectorAll('#details .quantization')].map((line) => line.textContent)")
    scale, point = browser.script(f"""const tensor = plan.tensors[plan.nodes[{index}].outputs[0]];
        return [tensor.scales[0], tensor.zeroPoints[0]]""")
    check(any(re.fullmatch(r"scale [0-9.e-]+, zero point -?\d+", line) for line in said), "scale and zero point are shown")
    last = re.fullmatch(r"scale ([0-9.e-]+), zero point (-?\d+)", said[-1])
    check(last and abs(float(last.group(1)) / scale - 1) < 1e-5 and int(last.group(2)) == point, "and are the tensor's own")


def check_phone(browser):
    browser.size(390, 844)
    for view in ("operations", "memory", "graph"):
        browser.click(f"[data-view={view}]")
        browser.script("select(1)")
        width = browser.script("return document.documentElement.scrollWidth")
        check(width <= 390, f"the page of the {view} is {width} pixels wide on a phone of 390")
        outside = browser.script("""
            return [...document.querySelectorAll('header *, #details *, nav button, .zoom button')].filter((element) => {
              const box = element.getBoundingClientRect();
              return box.width > 0 && (box.left < 0 || box.right > 390.5);
            }).map((element) => element.outerHTML.slice(0, 80));""")
        check(outside == [], f"and nothing of its frame sticks out {outside}")
    check(browser.script("return drawing.getBoundingClientRect().height") >= 150, "the graph has room there")
    browser.size(1440, 900)


BOXES = """return [...document.querySelectorAll('header, header > *, main, .view:not([hidden]), #details, .node rect.box, .zoom')]
    .map((element) => { const box = element.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; });"""


def color(text):
    return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))


def declared_colors(browser, names):
    return {name: color(browser.script(
        f"return getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")) for name in names}


# Elements with a themed color, and a point inside each.
PLACES = """
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const header = box('header'), graph = box('#graph'), bar = box('#node-1 rect.bar'), zoom = box('.zoom');
    return {surface: [header.x + 3, header.y + 3], ground: [graph.x + 3, graph.y + 3], raised: [zoom.x + 8, zoom.y + 4],
            'device-0': [bar.x + bar.width / 2, bar.y + bar.height / 2]};"""


def check_themes(browser):
    browser.script("showTop()")
    seen = {}
    for theme in ("light", "dark"):
        browser.theme(theme)
        places = browser.script(PLACES)
        declared = declared_colors(browser, places)
        picture = Picture(base64.b64decode(browser.screenshot()))
        drawn = {name: picture.pixel(x, y) for name, (x, y) in places.items()}
        apart = max(abs(a - b) for name in places for a, b in zip(drawn[name], declared[name]))
        check(apart <= 3, f"the {theme} theme is drawn in the colors that it declares {drawn} {declared}")
        seen[theme] = (declared, browser.script(BOXES))
    light, dark = seen["light"], seen["dark"]
    check(all(light[0][name] != dark[0][name] for name in light[0]), "the themes have colors of their own")
    check(sum(light[0]["ground"]) > 600 and sum(dark[0]["ground"]) < 150, "one is light, the other dark")
    check(light[1] == dark[1], "everything is where it is in the other")
    browser.theme("light")


def check_picture(browser, folder):
    browser.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.click("#save")
    end = time.monotonic() + 60
    while not (files := list(folder.glob("*.png"))) and time.monotonic() < end:
        time.sleep(0.1)
    check(len(files) == 1 and files[0].name == browser.script("return plan.model") + ".png", "a picture is downloaded")
    picture = Picture(files[0].read_bytes())
    width, height, scale = browser.script("return [plan.width, plan.height, scaleOfPicture()]")
    check(abs(picture.width - width * scale) <= 1 and abs(picture.height - height * scale) <= 1, "of the whole graph")
    colors = declared_colors(browser, ["ground", "device-0"])
    bar = browser.script("const node = plan.nodes[1]; return [node.x - node.w / 2 + 2.5, node.y]")
    for name, at in [("ground", (2, 2)), ("device-0", [scale * part for part in bar])]:
        apart = max(abs(a - b) for a, b in zip(picture.pixel(*at), colors[name]))
        check(apart <= 3, f"in the colors of the page ({name})")


LONG_NAME = "A Graphics Processor of 2026 with 80 GB, in a partition of 7 (driver 570.86.15, Vulkan 1.4.303)"


def large_model():
    """A case of 561 operations: a chain, then 40 branches, far wider than a screen."""
    tensors, operations = [{"name": "x", "dtype": "FLOAT32", "shape": [1, 16]}], []

    def chain(source, length):
        for i in range(length):
            tensors.append({"name": f"t{len(tensors)}", "dtype": "FLOAT32", "shape": [1, 16]})
            target = len(tensors) - 1
            operations.append({"op": f"OH_NN_OPS_{('TANH', 'SIGMOID')[i % 2]}", "inputs": [source], "params": [], "outputs": [target]})
            source = target
        return source

    start = chain(0, 41)
    ends = [chain(start, 13) for _ in range(40)]
    run = {"inputs": [{"shape": [1, 16], "data": base64.b64encode(bytes(64)).decode()}],
           "outputs": [{"shape": [1, 16], "data": base64.b64encode(bytes(64)).decode()}] * len(ends)}
    return json.dumps({"name": "large", "oracle": "none", "tensors": tensors, "ops": operations, "inputs": [0], "outputs": ends,
                       "runs": [run], "expect": "ok", "tags": ["float32"]})


def check_width(browser, page, size, pictures):
    """The large model in a window of this size."""
    browser.size(*size)
    browser.open(page)
    width = size[0]

    def picture(name):
        (pictures / f"{width}_{name}.png").write_bytes(base64.b64decode(browser.screenshot()))

    header = browser.script("""
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        return [document.documentElement.scrollWidth, box('header').height, box('#search').top, box('#search').bottom, box('nav').top,
                box('nav').bottom, box('nav').right, new Set([...document.querySelectorAll('nav button')].map((tab) => tab.offsetTop)).size];""")
    check(header[0] <= width and header[6] <= width, f"the page fits into {width} pixels")
    check(header[1] <= 100 and header[2] < header[5] and header[4] < header[3] and header[7] == 1, "the header is two lines, the tabs in one")

    scale, outside, seen = browser.script("""
        const room = drawing.getBoundingClientRect();
        const boxes = [...document.querySelectorAll('.node .box')].map((box) => box.getBoundingClientRect());
        const seen = boxes.filter((box) => box.top < room.bottom);
        return [view.scale, seen.filter((box) => box.left < room.left || box.right > room.right || box.top < room.top).length, seen.length];""")
    check(scale >= 0.5 and outside == 0 and 3 <= seen < 60, f"the graph opens with its first {seen} nodes at {scale:.2f}")
    summary = browser.script("return document.querySelector('#details').innerText.toUpperCase()")
    check(all(word in summary for word in ("TIME BY OPERATOR", "SIGMOID", "TIME BY DEVICE", LONG_NAME.upper(), "WEIGHTS", "AT THEIR PEAK")),
          "the side panel summarizes the model")
    picture("graph")

    browser.click("#fit")
    check(browser.script("return plan.width * view.scale <= drawing.clientWidth + 1 && plan.height * view.scale <= drawing.clientHeight + 1"),
          "Fit shows all of it")
    browser.type("#search input", "t561")
    check(browser.script("""
        const room = drawing.getBoundingClientRect(), box = shapes[found[0]].getBoundingClientRect();
        return found.length === 1 && view.scale >= .5 && box.left >= room.left && box.right <= room.right &&
               box.top >= room.top && box.bottom <= room.bottom;"""), "a search shows its first hit")
    picture("search")
    browser.clear("#search input")
    browser.script("field.dispatchEvent(new Event('input'))")

    browser.click("[data-view=operations]")
    right, room, times = browser.script("""
        const titles = [...document.querySelectorAll('#operations th')], place = titles.findIndex((title) => title.innerText.startsWith('Time'));
        const number = (row) => plan.nodes.find((node) => node.number === Number(row.children[0].textContent)).ms;
        return [titles[place].getBoundingClientRect().right, document.querySelector('#operations').getBoundingClientRect().right,
                [...document.querySelectorAll('#operations tbody tr')].map(number)];""")
    check(right <= room, "the time of an operation is visible")
    check(len(times) == 561 and times == sorted(times, reverse=True), "the slowest operation is first")
    picture("operations")

    browser.click("[data-view=memory]")
    picture("memory")
    browser.click("[data-view=graph]")
    browser.script("select(5)")
    browser.type("body", "\ue00c")  # Escape
    check(browser.script("return selected === -1 && document.querySelector('#details h2').textContent === 'Summary'"),
          "Escape returns to the summary")


def check_errors(browser):
    errors = [entry["message"] for entry in browser.call("POST", "/se/log", {"type": "browser"})]
    check(errors == [], f"the page has no errors {errors}")


def main():
    nnrt, cases, models, chromium, chromedriver, pictures = sys.argv[1:]
    pictures = pathlib.Path(pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    pages = {"ssd": [f"{cases}/net_ssd.jsonl", "--profile"], "named": [f"{models}/named.onnx"],
             "quantized": [f"{cases}/net_int8_mobilenet.jsonl"]}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "large.jsonl").write_text(large_model())
        pages["large"] = [folder / "large.jsonl", "--profile"]
        for page, arguments in pages.items():
            subprocess.run([nnrt, "plan", *arguments, "--html", folder / f"{page}.html"], check=True,
                           stdout=subprocess.DEVNULL)
        browser = Browser(chromium, chromedriver, folder)
        try:
            browser.open(folder / "ssd.html")
            check_page(browser)
            check_phone(browser)
            browser.click("[data-view=graph]")
            check_themes(browser)
            check_picture(browser, folder)
            browser.open(folder / "named.html")
            check_layers(browser)
            check_search(browser)
            check_phone(browser)
            browser.open(folder / "quantized.html")
            check_quantization(browser)
            large = folder / "large.html"
            text = large.read_text()
            device = json.loads(re.search(r'"devices":\[("[^"]*")', text)[1])
            large.write_text(text.replace(device, LONG_NAME))
            for size in ((800, 600), (1280, 720), (1920, 1080)):
                check_width(browser, large, size, pictures)
            check_errors(browser)
        finally:
            browser.close()


main()
