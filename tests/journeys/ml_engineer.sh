# An ML engineer with a model file and no program.
export NNRT_DEVICES=cpu
echo "1. what there is: nnrt --help, its manual page, the devices"
nnrt --help >/dev/null
man nnrt 2>/dev/null | grep -q NNRT_LOG || zgrep -q NNRT_LOG /usr/share/man/man1/nnrt.1.gz
nnrt devices
echo "2. look at a model, run it, measure it, see where it runs"
nnrt info "$1/digits.onnx" >/dev/null
nnrt run "$1/digits.onnx" >/dev/null
nnrt bench "$1/digits_int8.onnx" --runs 5 >/dev/null
nnrt plan "$1/digits.onnx" | grep -q 'CONV2D\|FULL_CONNECTION'
nnrt profile "$1/digits.onnx" >/dev/null
echo "3. make an INT8 model of it, and ask what that costs"
python3 - /usr/share/doc/nnrt-doc/examples/digits/data <<'PYTHON'
import os, sys
import numpy as np
images = np.fromfile(sys.argv[1] + "/images.bin", np.uint8).reshape(-1, 1, 1, 8, 8)
labels = np.fromfile(sys.argv[1] + "/labels.bin", np.uint8)
for number, (image, label) in enumerate(zip(images, labels)):
    os.makedirs(f"samples/{label}", exist_ok=True)
    np.save(f"samples/{label}/{number}.npy", image.astype(np.float32))
PYTHON
nnrt quantize "$1/digits.onnx" --calibrate samples --samples 64 -o int8.onnx | tail -1
nnrt accuracy "$1/digits.onnx" int8.onnx samples | tee accuracy.txt
[ "$(grep -c ' 99\.72 %' accuracy.txt)" = 2 ] || { echo "Both get 359 of 360 right, as docs/quantization.md says."; exit 1; }
echo "4. compare the CPU with a GPU"
VK_DRIVER_FILES=$(ls /usr/share/vulkan/icd.d/lvp_icd.*.json) NNRT_DEVICES=cpu,vulkan nnrt compare "$1/digits.onnx" --devices cpu,gpu
