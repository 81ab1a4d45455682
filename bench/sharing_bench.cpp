// Measures how concurrent executors share a device: total runs per second of y = a x b with n x n matrices,
// with each executor on its own thread.
#include "bench/one_operation.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

using namespace bench;

double runs_in_a_second(const Compilation& compilation, size_t device, const Operation& operation,
                        int executors) {
  std::atomic<bool> stop = false;
  std::atomic<int64_t> runs = 0;
  std::vector<std::thread> threads;
  const auto start = std::chrono::steady_clock::now();
  for (int t = 0; t < executors; ++t) {
    threads.emplace_back([&] {
      Runner runner(device, operation, compilation.get());
      while (!stop) {
        runner.run();
        ++runs;
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return double(runs) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  const size_t* devices = nullptr;
  uint32_t count = 0;
  check(OH_NNDevice_GetAllDevicesID(&devices, &count), "OH_NNDevice_GetAllDevicesID");
  std::printf("| device | n | 1 executor | 2 | 4 | 8 |\n| --- | --- | --- | --- | --- | --- |\n");
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    check(OH_NNDevice_GetName(devices[i], &name), "OH_NNDevice_GetName");
    for (const int32_t size : {8, 64, 256, 1024}) {
      const Operation product{"MATMUL", OH_NN_OPS_MATMUL, 2, {size, size}};
      const Compilation compilation = build(devices[i], product);
      std::printf("| %s | %d |", name, size);
      for (const int executors : {1, 2, 4, 8}) {
        std::printf(" %.0f |", runs_in_a_second(compilation, devices[i], product, executors));
      }
      std::printf("\n");
    }
  }
}
