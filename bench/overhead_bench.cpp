// Measures the runtime's overhead: median and 99th percentile of calls on minimal models in microseconds,
// next to bare submissions to the same GPU: "submit" without commands and "fill" of 16 bytes, both waited
// for. FLATTEN only copies 16 bytes.
#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/runtime/vulkan_device.h"
#include "backends/vulkan/runtime/vulkan_devices.h"
#include "bench/one_operation.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <semaphore>
#include <string>
#include <vector>

namespace {

using namespace bench;
using Clock = std::chrono::steady_clock;

struct Times {
  double median, p99;
};

Times times_of(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  return {microseconds[microseconds.size() / 2], microseconds[microseconds.size() * 99 / 100]};
}

// `once` returns the end time of the operation it started.
Times measure(int count, const std::function<Clock::time_point()>& once) {
  for (int i = 0; i < count / 10; ++i) once();
  std::vector<double> microseconds;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    microseconds.push_back(std::chrono::duration<double, std::micro>(once() - start).count());
  }
  return times_of(std::move(microseconds));
}

Times measure_call(int count, const std::function<void()>& call) {
  return measure(count, [&] {
    call();
    return Clock::now();
  });
}

void print(const char* device, const char* what, Times times) {
  std::printf("| %s | %s | %.1f | %.1f |\n", device, what, times.median, times.p99);
  std::fflush(stdout);
}

// User data of an asynchronous run.
struct Done {
  Clock::time_point at{};
  std::binary_semaphore reported{0};
};

void note_end(void* user_data, OH_NN_ReturnCode code, void**, int32_t) {
  auto& done = *static_cast<Done*>(user_data);
  done.at = Clock::now();
  if (code != OH_NN_SUCCESS) std::abort();
  done.reported.release();
}

void measure_api(const char* name, size_t device) {
  for (const Operation& operation : {Operation{"RELU [1]", OH_NN_OPS_RELU, 1, {1}},
                                     {"ADD [4]", OH_NN_OPS_ADD, 2, {4}},
                                     {"FLATTEN [1, 4]", OH_NN_OPS_FLATTEN, 1, {1, 4}}}) {
    const Compilation compilation = build(device, operation);
    Runner runner(device, operation, compilation.get());
    Done done;
    check(OH_NNExecutor_SetOnRunDone(runner.executor(), note_end), "OH_NNExecutor_SetOnRunDone");
    const auto run_async = [&] {
      runner.start(&done);
      done.reported.acquire();
      return done.at;
    };
    print(name, (std::string("RunSync, ") + operation.name).c_str(),
          measure_call(5000, [&] { runner.run(); }));
    print(name, (std::string("RunAsync to callback, ") + operation.name).c_str(), measure(5000, run_async));
    print(name, (std::string("Executor_Construct and Destroy, ") + operation.name).c_str(),
          measure_call(5000,
                       [&] { own(OH_NNExecutor_Construct(compilation.get()), "OH_NNExecutor_Construct"); }));
    print(name, (std::string("Build, ") + operation.name).c_str(),
          measure_call(500, [&] { build(device, operation); }));
  }
}

Times measure_bare(nnrt::vulkan::Context& context, const std::function<void(VkCommandBuffer)>& record) {
  const auto commands = nnrt::vulkan::record_commands(context, 0, record).value();
  const auto timeline = nnrt::vulkan::make_timeline(context).value();
  uint64_t value = 0;
  return measure_call(5000, [&] {
    ++value;
    if (!context.submit(commands.commands, timeline.get(), value).ok() ||
        !context.wait(timeline.get(), value, {}).ok()) {
      std::abort();
    }
  });
}

void measure_gpu(const std::string& name) {
  for (const auto& device : nnrt::vulkan::find_devices()) {
    if (device->info().name != name) continue;
    const auto context = static_cast<nnrt::vulkan::VulkanDevice&>(*device).context().value();
    const auto buffer = nnrt::vulkan::make_buffer(*context, 16, nnrt::vulkan::MemoryKind::device).value();
    print(name.c_str(), "bare submit and wait", measure_bare(*context, [](VkCommandBuffer) {}));
    print(name.c_str(), "bare fill and wait", measure_bare(*context, [&](VkCommandBuffer commands) {
            nnrt::vulkan::vkCmdFillBuffer(commands, buffer.get(), 0, 16, 0);
          }));
  }
}

}  // namespace

int main() {
  const size_t* devices = nullptr;
  uint32_t count = 0;
  check(OH_NNDevice_GetAllDevicesID(&devices, &count), "OH_NNDevice_GetAllDevicesID");
  std::printf("| device | microseconds of | median | 99 %% |\n| --- | --- | --- | --- |\n");
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    check(OH_NNDevice_GetName(devices[i], &name), "OH_NNDevice_GetName");
    measure_gpu(name);
    measure_api(name, devices[i]);
  }
}
