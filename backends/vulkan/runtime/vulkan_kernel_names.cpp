#include "backends/vulkan/runtime/vulkan_kernel_names.h"

#include "backends/vulkan/device/device_features.h"
#include "backends/vulkan/lower/attention/lower_attention.h"
#include "backends/vulkan/lower/conv/lower_convolutions.h"
#include "backends/vulkan/lower/conv/lower_depthwise.h"
#include "backends/vulkan/lower/conv/output_strips.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/gemm/lower_nbits.h"
#include "backends/vulkan/lower/gemm/shared_tiles.h"
#include "backends/vulkan/lower/int8/int8_kernels.h"
#include "backends/vulkan/lower/recurrent/sequence_kernel.h"
#include "backends/vulkan/lower/reduction/lower_top_k.h"
#include "backends/vulkan/lower/reduction/norm_rows.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"
#include "backends/vulkan/program/vulkan_graph_passes.h"
#include "core/passes/simplify.h"

#include <algorithm>
#include <vector>

namespace nnrt::vulkan {
namespace {

std::vector<std::string_view> gathered() {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const auto& list : {convolution_kernels(), gemm_kernels(), shared_tile_kernels(), nbits_kernels(),
                           depthwise_kernels(), pooling_kernels(), output_strip_names(), reduction_kernels(),
                           norm_kernels(), softmax_kernels(), arg_max_kernels(), top_k_kernels(),
                           attention_kernels(), recurrent_kernels(), copy_kernels(), int8_kernels()})
    std::ranges::for_each(list, add);
  for (const DeviceFeature& one : device_features()) add(one.name);
  for (const auto passes : {model_passes(), program_passes(), lowering_passes()})
    std::ranges::for_each(pass_names(passes), add);
  std::ranges::for_each(rewrite_names(), add);
  return names;
}

}  // namespace

std::span<const std::string_view> kernel_names() {
  static const std::vector<std::string_view> names = gathered();
  return names;
}

}  // namespace nnrt::vulkan
