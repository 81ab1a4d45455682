# Writes Python. The module comes from its package, numpy from Debian.
echo "1. run a model on numpy arrays, and look at what it is"
cat > run.py <<'PYTHON'
import sys

import numpy as np
import nnrt

model = nnrt.load(sys.argv[1], device="cpu")
x = {info.name: np.zeros([d or 1 for d in info.shape], dtype=np.float32) for info in model.inputs}
outputs = model.run(x)
assert all(np.isfinite(y).all() for y in outputs.values())
print({name: y.shape for name, y in outputs.items()})
try:
    nnrt.load("missing.onnx")
    sys.exit("A missing file was loaded.")
except nnrt.Error as error:
    print("A missing file:", error)
PYTHON
NNRT_DEVICES=cpu python3 run.py "$1/digits.onnx"
