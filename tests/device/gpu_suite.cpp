#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "tests/device/device_fixture.h"

namespace nnrt::test {

std::shared_ptr<Device> suite_device() { return make_device(); }

// Other shaders, paths, ways of Winograd, and features that GPUs have or that can be emulated.
std::vector<SuiteMode> suite_modes() {
  std::vector<SuiteMode> ways{{"as it is", suite_device()}};
  const auto add = [&](std::string_view name, bool only_linear, const auto& change) {
    vulkan::DevicePlan plan = first_plan();
    change(plan);
    ways.push_back({name, make_device(plan), only_linear});
  };
  add("quick shaders", true, [](vulkan::DevicePlan& plan) { plan.shaders = vulkan::Shaders::fast_compile; });
  const auto add_kernels = [&](std::string_view name, bool only_linear, std::string_view kernels) {
    add(name, only_linear, [kernels](vulkan::DevicePlan& plan) {
      plan.kernels = parse_kernel_switch("test", kernels, vulkan::kernel_names());
    });
  };
  add_kernels("texel buffers", false, "-subgroup_tile,+texel_buffer,+gemm");
  add_kernels("shared memory", true, "-texel_buffer,+gemm,+depthwise,+sliding_window,+shared_memory_tile");
  add_kernels("storage buffers", true, "-subgroup_tile,-texel_buffer,-shared_memory_tile");
  add_kernels("Winograd by tiles of 4x4", true, "+gemm,+depthwise,+winograd4");
  add_kernels("Winograd by tiles of 2x2", true, "+gemm,+depthwise,+winograd2");
  add("hardware", false, [](vulkan::DevicePlan& plan) {
    const vulkan::Snapshot snapshot = vulkan::take_snapshot(first_physical_device());
    constexpr std::string_view kAll = "+fp16_storage,+int8_dot,+cooperative_matrix_emulated,+fp16_pass";
    plan = vulkan::plan(snapshot, parse_kernel_switch("test", kAll, vulkan::kernel_names())).value();
    plan.fp16_intermediates = true;
    plan.shaders = vulkan::Shaders::optimized;
  });
  return ways;
}

}  // namespace nnrt::test
