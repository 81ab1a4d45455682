# A tester of OpenHarmony applications without a board: compiles the client unchanged and runs it on CPU and GPU.
echo "1. compile a client of OH_NN with pkg-config, as C11 and as C++17"
# shellcheck disable=SC2046
cc -std=c11 "$1/package_client.c" $(pkg-config --cflags --libs nnrt) -o client
cat > client.cpp <<'CPP'
#include <neural_network_runtime/neural_network_runtime.h>
int main() { return OH_NNModel_Construct() == nullptr; }
CPP
# shellcheck disable=SC2046
c++ -std=c++17 client.cpp $(pkg-config --cflags --libs nnrt) -o client_cpp
./client_cpp
echo "2. run it on the CPU, on a GPU, and with devices in another process"
NNRT_DEVICES=cpu ./client
VK_DRIVER_FILES=$(ls /usr/share/vulkan/icd.d/lvp_icd.*.json) NNRT_DEVICES=vulkan ./client
NNRT_DEVICES=cpu NNRT_HOSTED=cpu ./client
echo "3. the same with CMake, and a client of Android's NNAPI"
cmake -S "$1" -B build >/dev/null
cmake --build build >/dev/null
NNRT_DEVICES=cpu build/client
NNRT_DEVICES=cpu build/nnapi_client
echo "4. a model file without a line of the test's own: the example of the documentation's package"
cmake -S /usr/share/doc/nnrt-doc/examples/import -B import >/dev/null
cmake --build import >/dev/null
NNRT_DEVICES=cpu import/import "$1/digits.onnx" cpu
