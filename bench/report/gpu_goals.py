"""The project's goals on a large GPU, evaluated on the results of gpu_bench.py: rows of (what, goal, measured value, yes or no or None)."""
from gpu_measure import NETWORKS
from goals import geometric_mean, judged, row_of

# Speed relative to cuBLAS.
GEMMS = {"fp32": {4096: 0.85, 1024: 1.2, 512: 2.0}, "fp16": {4096: 0.38, 1024: 1.7, 512: 5.0}}
ROWS = [("SOFTMAX [1, 1000]", "norm/softmax_1x1000", 5), ("LAYER_NORM [128, 768]", "norm/layer_norm_128x768", 5),
        ("FULL_CONNECTION 1 x 2048 x 1000", "connect/1x2048x1000", 6)]
BATCHED = [("ResNet-50 batch 128", "resnet_50", 128, 1.5), ("ViT-B/16 batch 32", "vit_b16", 32, 3.0)]


def ratio_of(row):
    """Our time relative to the peer's; None if one is missing."""
    return row["ms"] / row["peer_ms"] if row and row.get("ms") and row.get("peer_ms") else None


def ratios(results, dtype, batch=1, names=NETWORKS):
    """By network."""
    found = {name: ratio_of(row_of(results.get("networks", []), network=name, batch=batch, dtype=dtype)) for name in names}
    return {name: ratio for name, ratio in found.items() if ratio}


def times_as_fast(row):
    """The speedup in device time; the peer uses its own clock."""
    return row["peer_us"] / row["device_us"] if row and row.get("peer_us") and row.get("device_us") else None


def most(what, limit, value, text):
    """Also reached if equal to the limit."""
    return judged(what, f"<= {limit:g}", value, text, below=limit * (1 + 1e-9))


def gpu_goals(results):
    rows, kernels = [], results.get("kernels", [])
    for dtype, limit in (("fp32", 1.0), ("fp16", 1.2)):
        of = ratios(results, dtype)
        what, goal, text, reached = most(f"{dtype}, times PyTorch's, geometric mean over the {len(NETWORKS)} networks of batch 1", limit,
                                         geometric_mean(list(of.values())), "{:.2f}")
        if 0 < len(of) < len(NETWORKS):
            text, reached = f"{text}, of {len(of)} alone", None
        rows.append((what, goal, text, reached))
    for dtype, sizes in GEMMS.items():
        for size, least in sizes.items():
            row = row_of(kernels, name=f"matmul/{size}x{size}x{size}", dtype=dtype)
            rows.append(judged(f"GEMM {dtype} {size}^3, times as fast as cuBLAS", f">= {least:g}", times_as_fast(row), "{:.2f}", at_least=least))
    for title, name, limit in ROWS:
        row = row_of(kernels, name=name, dtype="fp16") or {}
        rows.append(most(f"{title} fp16, microseconds on the device", limit, row.get("device_us"), "{:.1f}"))
    for title, name, batch, limit in BATCHED:
        rows.append(most(f"{title} fp16, times PyTorch's", limit, ratios(results, "fp16", batch, [name]).get(name), "{:.2f}"))
    tokens = [row["tokens"] for row in results.get("decode", []) if row.get("tokens")]
    rows.append(judged("Decoder, tokens a second", ">= 2000", max(tokens, default=None), "{:.0f}", at_least=2000))
    overhead = results.get("overhead", [])
    bare, relu = row_of(overhead, what="bare submit and wait"), row_of(overhead, what="RunSync, RELU [1]")
    rows.append(most("RunSync of one RELU above a bare submission and wait, microseconds", 10, bare and relu and relu["median"] - bare["median"],
                     "{:.1f}"))
    return rows
