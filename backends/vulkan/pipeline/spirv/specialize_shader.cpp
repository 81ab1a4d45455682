#include "backends/vulkan/pipeline/spirv/specialize_shader.h"

#ifdef NNRT_SPIRV_TOOLS
#include <spirv-tools/optimizer.hpp>
#include <unordered_map>
#endif

namespace nnrt::vulkan {

#ifdef NNRT_SPIRV_TOOLS

std::optional<std::vector<uint32_t>> specialize(std::span<const uint32_t> words,
                                                std::span<const uint32_t> values) {
  std::unordered_map<uint32_t, std::vector<uint32_t>> by_id;
  for (uint32_t id = 0; id < values.size(); ++id) by_id[id] = {values[id]};
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_2);
  optimizer.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
  optimizer.RegisterPass(spvtools::CreateSetSpecConstantDefaultValuePass(by_id))
      .RegisterPass(spvtools::CreateFreezeSpecConstantValuePass())
      .RegisterPass(spvtools::CreateFoldSpecConstantOpAndCompositePass())
      .RegisterPerformancePasses();
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // the shader is from our own build
  std::vector<uint32_t> specialized;
  if (!optimizer.Run(words.data(), words.size(), &specialized, options)) return std::nullopt;
  return specialized;
}
#else
std::optional<std::vector<uint32_t>> specialize(std::span<const uint32_t>, std::span<const uint32_t>) {
  return std::nullopt;
}
#endif

}  // namespace nnrt::vulkan
