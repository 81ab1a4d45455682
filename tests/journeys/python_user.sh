# A Python user: the module from its package, numpy from Debian.
echo "1. run a model on numpy arrays, look at what it is, and run it many times at once"
cat > run.py <<'PYTHON'
import asyncio
import concurrent.futures
import sys

import numpy as np
import nnrt

print("nnrt", nnrt.__version__)

model = nnrt.load(sys.argv[1], device="cpu")
x = {info.name: np.zeros([d or 1 for d in info.shape], dtype=np.float32) for info in model.inputs}
outputs = model.run(x)
assert all(np.isfinite(y).all() for y in outputs.values())
print({name: y.shape for name, y in outputs.items()})
async def twice():
    return await asyncio.gather(model.run_async(x), model.run_async(x))
with concurrent.futures.ThreadPoolExecutor(4) as pool:  # from several threads, and awaited
    for other in [*pool.map(model.run, [x] * 8), *asyncio.run(twice())]:
        assert all(np.array_equal(outputs[name], other[name]) for name in outputs)
try:
    nnrt.load("missing.onnx")
    sys.exit("A missing file was loaded.")
except nnrt.Error as error:
    print("A missing file:", error)
PYTHON
NNRT_DEVICES=cpu python3 run.py "$1/digits.onnx"
