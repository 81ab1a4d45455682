"""An SVG chart of the speedup over the best peer, per device and network. Follows the reader's light or dark mode."""
from html import escape

from figures import figure
from goals import PUBLISHED, geometric_mean, milliseconds, published

WIDTH, LABELS, ROW, BAR, TOP = 880, 190, 21, 13, 56
PLOT = WIDTH - LABELS - 240
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .quiet { fill: #57606a }
  .ahead { fill: #1a7f37 } .behind { fill: #bc4c00 }
  .line { stroke: #8c959f; stroke-width: 1 } .goal { stroke: #0969da; stroke-width: 1.5; stroke-dasharray: 4 3 }
  .paper { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .ahead { fill: #3fb950 } .behind { fill: #db6d28 }
    .line { stroke: #656c76 } .goal { stroke: #4493f8 } .paper { fill: #0d1117 }
  }"""


def panels(results, peers):
    """(title, goal, [(network, speedup, our ms, peer's ms, peer)]) for each device with peers."""
    ours = milliseconds(results, "ours", "CPU")
    runtime = milliseconds(results, "ONNX Runtime", "CPU")
    rows = [(name, runtime[name] / ms, ms, runtime[name], "ONNX Runtime") for name, ms in ours.items() if name in runtime]
    found = [("CPU device", 1 / 1.1, rows)] if rows else []
    for device, engines in PUBLISHED.items():
        best = published(peers, engines)
        rows = [(name, best[name][0] / ms, ms, best[name][0], best[name][1].split()[0]) for name, ms in milliseconds(results, "ours", device).items()
                if name in best]
        if rows:
            found.append((device, 2.0, rows))
    return found


def text(x, y, content, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(content)}</text>'


def vertical(x, top, bottom, kind):
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" class="{kind}"/>'


def panel(y, title, goal, rows):
    most = max(max(row[1] for row in rows), goal) * 1.05
    place = lambda value: LABELS + PLOT * value / most  # noqa: E731
    mean = geometric_mean([row[1] for row in rows])
    bottom = y + TOP + ROW * len(rows)
    parts = [text(8, y + 20, f"{title}: {mean:.2f} times as fast as its best peer (geometric mean)", "title"),
             text(place(1), y + TOP - 8, "as fast", "quiet", "middle" if goal > 1 else "start"), vertical(place(1), y + TOP - 4, bottom, "line")]
    apart = abs(place(goal) - place(1)) > 60
    parts += [text(place(goal) - (0 if apart else 4), y + TOP - 8 - (0 if apart else 1), f"goal {goal:.2g}", "quiet",
                   "middle" if apart else "end")]
    parts.append(vertical(place(goal), y + TOP - 4, bottom, "goal"))
    for i, (network, ratio, ms, theirs, peer) in enumerate(rows):
        top = y + TOP + ROW * i
        kind = "ahead" if ratio >= goal else "behind"
        parts += [text(LABELS - 8, top + BAR - 2, network, anchor="end"),
                  f'<rect x="{LABELS}" y="{top}" width="{place(ratio) - LABELS:.1f}" height="{BAR}" rx="2" class="{kind}"/>',
                  text(LABELS + PLOT + 10, top + BAR - 2, f"{ratio:.2f} x", anchor="start"),
                  text(WIDTH - 8, top + BAR - 2, f"{figure(ms)} ms, {peer} {figure(theirs)}", "quiet", "end")]
    return parts, bottom + 16


def chart(results, peers):
    parts, y = [], 4
    for title, goal, rows in panels(results, peers):
        drawn, y = panel(y, title, goal, rows)
        parts += drawn
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y:.0f}" viewBox="0 0 {WIDTH} {y:.0f}">\n'
            f'<style>{STYLE}\n</style>\n<rect class="paper" width="100%" height="100%"/>\n{body}\n</svg>\n')
