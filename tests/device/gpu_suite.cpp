#include "tests/device/device_fixture.h"

namespace nnrt::test {

std::shared_ptr<Device> suite_device() { return shared_device(""); }

// Other shaders, GEMM paths, Winograd variants, and GPU features that can be emulated.
std::vector<SuiteMode> suite_modes() {
  std::vector<SuiteMode> ways{{"as it is", suite_device()}};
  const auto add = [&](std::string_view name, bool only_linear, const auto& change) {
    vulkan::DevicePlan plan = first_plan();
    change(plan);
    ways.push_back({name, make_device(plan), only_linear});
  };
  add("quick shaders", true, [](vulkan::DevicePlan& plan) { plan.shaders = vulkan::Shaders::fast_compile; });
  add("memory behind a bus", false, [](vulkan::DevicePlan& plan) {
    plan.host.binds = false;
    plan.host.direct = {.read_tensor = 64, .read = 4096, .written = 8192};
    plan.queue.spin_us = 50;
  });
  const auto add_kernels = [&](std::string_view name, bool only_linear, std::string_view kernels) {
    add(name, only_linear, [kernels](vulkan::DevicePlan& plan) { plan = plan_with(kernels); });
  };
  add_kernels("texel buffers", false, "-subgroup_tile,+texel_buffer,+gemm");
  add_kernels("shared memory", true, "-texel_buffer,+gemm,+depthwise,+sliding_window,+shared_memory_tile");
  add_kernels("storage buffers", true, "-subgroup_tile,-texel_buffer,-shared_memory_tile");
  add_kernels("Winograd by tiles of 4x4", true, "+gemm,+depthwise,+winograd4");
  add_kernels("Winograd by tiles of 2x2", true, "+gemm,+depthwise,+winograd2");
  add_kernels("hardware", false, "+fp16_storage,+int8_dot,+cooperative_matrix_emulated,+fp16_pass");
  add_kernels(
      "rows by subgroups", false,
      "+fp16_storage,+int8_dot,+gemm,+gemv_by_subgroups,+int8_gemv_by_subgroups,"
      "+nbits_gemv_by_subgroups,+softmax_by_subgroups,+norm_by_subgroups,+reduce_by_subgroups,"
      "+arg_max_by_subgroups,-two_pass,-split_attention,+attention_tile_32,+top_k_by_group,+recurrent_"
      "sequence");
  add_kernels(
      "rows by workgroups", false,
      "+int8_dot,+gemm,+gemv_by_group,+softmax_by_group,"
      "+norm_by_group,+reduce_by_group,+arg_max_by_group,+two_pass,-split_attention,+attention_decode,"
      "+split_keys");
  add_kernels("parts of large tiles", false,
              "+fp16_storage,+cooperative_matrix_emulated,+int8_matrix_emulated,+matrix_128x128,"
              "+shared_memory_tile,+tile_128x128,+split_k,-split_attention,+attention_matrix_32");
  return ways;
}

}  // namespace nnrt::test
