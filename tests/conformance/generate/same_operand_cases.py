"""Comparisons of a tensor with itself, which detect NaN, and with infinity. Adds them to the comparisons' files."""

import json

import numpy as np
from case import GOLDEN, Cases, Given

SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -65504.0, 3e-8, np.nan, 2.0]
COMPARISONS = {"NOT_EQUAL": np.not_equal, "EQUAL": np.equal, "LESS": np.less, "LESS_EQUAL": np.less_equal}


def with_itself(operator, compare, dtype):
    x = np.array(SPECIAL, dtype)
    cases = Cases(operator)
    cases.add(f"with_itself_{dtype.__name__}", "numpy", [x], [compare(x, x)], tags=["special"])
    line = cases.lines[0]
    line["ops"][0]["inputs"] = [0, 0]
    return line


def with_infinity(operator, compare, dtype):
    x = np.tile(np.array(SPECIAL, dtype), (3, 1))
    cases = Cases(operator)
    infinity = Given(np.array([np.inf], dtype), constant=True)
    cases.add(f"with_infinity_{dtype.__name__}", "numpy", [x, infinity], [compare(x, dtype(np.inf))], tags=["special"])
    return cases.lines[0]


def main():
    for operator, compare in COMPARISONS.items():
        lines = [make(operator, compare, dtype)
                 for make in (with_itself, with_infinity) for dtype in (np.float32, np.float16, np.float64)]  # fmt: skip
        path = GOLDEN / f"{operator.lower()}.jsonl"
        names = {line["name"] for line in lines}
        kept = [text for text in path.read_text().splitlines() if json.loads(text)["name"] not in names]
        written = [json.dumps(line, separators=(",", ":")) for line in lines]
        path.write_text("\n".join(kept + written) + "\n")
        print(f"{path.name}: {len(kept)} and {len(written)} cases")


main()
