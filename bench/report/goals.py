"""The project's goals, evaluated on the results of measure.py: rows of (what, goal, measured value, yes or no or None)."""
import math

PUBLISHED = {"lavapipe": ("ncnn lavapipe", "MNN lavapipe"), "SwiftShader": ("ncnn SwiftShader", "MNN SwiftShader")}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def milliseconds(results, engine, device):
    return {row["network"]: row["ms"] for row in results.get("networks", [])
            if row["engine"] == engine and row["device"] == device}


def published(peers, engines):
    """The faster of these engines for each network, as (milliseconds, engine)."""
    places = [peers["engines"].index(engine) for engine in engines]
    found = {}
    for network, times in peers["milliseconds"].items():
        known = [(times[place], peers["engines"][place]) for place in places if times[place] is not None]
        if known:
            found[network] = min(known)
    return found


def speedups(results, peers, device):
    """The speedup over the faster published peer, by network."""
    best = published(peers, PUBLISHED[device])
    return {network: best[network][0] / ms for network, ms in milliseconds(results, "ours", device).items() if network in best}


def times_of_peer(results, int8):
    """Our time relative to ONNX Runtime's in the same session."""
    theirs = milliseconds(results, "ONNX Runtime", "CPU")
    return {network: ms / theirs[network] for network, ms in milliseconds(results, "ours", "CPU").items()
            if network in theirs and network.endswith("_int8") == int8}


def slower_machine(results, peers):
    """How many times slower ONNX Runtime is here than on the machine of the published figures (geometric mean); None without it."""
    place = peers["engines"].index("ONNX Runtime CPU")
    times = milliseconds(results, "ONNX Runtime", "CPU")
    return geometric_mean([times[network] / known[place] for network, known in peers["milliseconds"].items()
                           if network in times and known[place]])


def row_of(rows, **wanted):
    return next((row for row in rows if all(row.get(key) == value for key, value in wanted.items())), None)


def judged(what, goal, value, text, at_least=None, below=None):
    if value is None:
        return what, goal, "not measured", None
    return what, goal, text.format(value), value >= at_least if at_least is not None else value <= below


def goals(results, peers):
    rows = []
    for device in PUBLISHED:
        ratios = speedups(results, peers, device)
        rows.append(judged(f"{device}, networks, geometric mean against the better of ncnn and MNN", "2.0 times as fast",
                           geometric_mean(list(ratios.values())), "{:.2f} times (" + f"{len(ratios)} networks)", at_least=2.0))
        slower = slower_machine(results, peers)
        if slower and ratios:
            rows.append(judged(f"{device}, the same, published figures times {slower:.2f}, by which ONNX Runtime is slower in this run",
                               "2.0 times as fast", slower * geometric_mean(list(ratios.values())), "{:.2f} times", at_least=2.0))
    cold = results.get("cold", [])
    for device, limit in (("lavapipe", 500), ("SwiftShader", 1500)):
        row = row_of(cold, network="mobilenet_v2", device=device, step="cold")
        rows.append(judged(f"{device}, first inference with load and build, MobileNetV2", f"{limit} ms",
                           row and row["total_ms"], "{:.0f} ms", below=limit))
    takeover = results.get("takeover", [])
    rows.append(judged("Optimized shaders have taken over, the last network", "2 s",
                       max((row["taken_over_ms"] / 1e3 for row in takeover), default=None), "{:.1f} s", below=2))
    rows.append(judged("Runs until then against those behind, the worst network", "1.5 times",
                       max((row["before"]["median_ms"] / row["after"]["median_ms"] for row in takeover), default=None),
                       "{:.2f} times", below=1.5))
    for device, limit in (("lavapipe", 75), ("SwiftShader", 11)):
        row = row_of(results.get("kernels", []), name="matmul/512x512x512", device=device)
        rows.append(judged(f"{device}, GEMM 512^3", f"{limit} GFLOP/s", row and row["GFLOP/s"], "{:.1f} GFLOP/s", at_least=limit))
    for int8 in (False, True):
        ratios = times_of_peer(results, int8)
        rows.append(judged(f"CPU device against ONNX Runtime in the same run, {'int8' if int8 else 'float32'}, geometric mean",
                           "1.1 times its time", geometric_mean(list(ratios.values())), "{:.2f} times (" + f"{len(ratios)} networks)",
                           below=1.1))
    overhead = results.get("overhead", [])
    for device in PUBLISHED:
        bare = row_of(overhead, device=device, what="bare fill and wait")
        empty = row_of(overhead, device=device, what="RunSync, FLATTEN [1, 4]")
        rows.append(judged(f"{device}, RunSync of the emptiest model above a bare submission", "20 us",
                           bare and empty and empty["median"] - bare["median"], "{:.1f} us", below=20))
    executors = [row["median"] for row in overhead if row["what"].startswith("Executor_Construct")]
    rows.append(judged("Executor_Construct (and Destroy), the slowest", "20 us", max(executors, default=None), "{:.1f} us", below=20))
    for device, count in results.get("pipelines", {}).items():
        rows.append(judged(f"{device}, pipelines of MobileNetV2", "40", count, "{}", below=40))
    arenas = [(row["arena_bytes"] / row["live_bytes"], row["network"]) for row in cold if row["live_bytes"]]
    rows.append(judged("Arena against the most that lives at once, the worst network", "1.1 times",
                       max(arenas, default=(None,))[0], "{:.2f} times", below=1.1))
    row = row_of(cold, network="mobilenet_v2", device="SwiftShader", step="cold")
    rows.append(judged("Peak memory of MobileNetV2 on SwiftShader", "80 MB", row and row["peak_mb"], "{:.0f} MB", below=80))
    return rows
