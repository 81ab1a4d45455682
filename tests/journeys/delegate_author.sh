# A delegate author: builds the example from the documentation package on its own.
echo "1. build the example with find_package(NNRt)"
cmake -S /usr/share/doc/nnrt-doc/examples/delegate -B build >/dev/null
cmake --build build >/dev/null
echo "2. run it on the CPU and on a GPU"
NNRT_DEVICES=cpu build/delegate
VK_DRIVER_FILES=$(ls /usr/share/vulkan/icd.d/lvp_icd.*.json) NNRT_DEVICES=vulkan build/delegate
