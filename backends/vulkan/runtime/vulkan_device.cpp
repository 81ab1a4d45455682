#include "backends/vulkan/runtime/vulkan_device.h"

#include "backends/vulkan/device/process_end.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/program/node_support.h"
#include "backends/vulkan/runtime/vulkan_model.h"
#include "core/base/checksum.h"
#include "core/device/device_registry.h"
#include "core/passes/fuse.h"

#include <cstdint>

namespace nnrt::vulkan {
namespace {

// The cache format of a model: packed constants, their Winograd limits and the driver's pipeline data.
// Commands are lowered from the graph again, so a file cannot influence which memory kernels access, except
// by the lengths of constants, which Constants::packed() checks. A forged file can make a model compute wrong
// results, and the driver's data (PipelineCache::import_driver_data) is as trustworthy as its author.
// Increase if the written data change, or if lowering packs constants differently.
constexpr uint32_t kModelFormat = 25;

std::string vendor_name(uint32_t id) {
  struct Row {
    uint32_t id;
    std::string_view name;
  };
  constexpr Row kVendors[] = {{0x1002, "AMD"},    {0x1010, "Imagination"}, {0x106b, "Apple"},
                              {0x10de, "NVIDIA"}, {0x13b5, "ARM"},         {0x14e4, "Broadcom"},
                              {0x1ae0, "Google"}, {0x5143, "Qualcomm"},    {0x8086, "Intel"},
                              {0x10005, "Mesa"}};
  for (const Row& row : kVendors) {
    if (row.id == id) return std::string(row.name);
  }
  return cat("PCI vendor ", id);
}

uint64_t shaders_checksum() {
  static const uint64_t sum = [] {
    std::vector<ByteView> words;
    for (const EmbeddedShader& shader : embedded_shaders()) words.push_back(std::as_bytes(shader.words));
    return checksum(words);
  }();
  return sum;
}

// The limits that lowering and the memory plan depend on.
std::string limits_of(const DevicePlan& plan) {
  std::string limits =
      cat(plan.storage_alignment, " ", plan.max_storage_range, " ", plan.max_texels, " ", plan.max_allocation,
          " ", plan.max_group_invocations, " ", plan.max_shared_bytes, " ", plan.max_loop_iterations, " ",
          plan.fp16_intermediates, " ", plan.fp16_storage, " ", plan.int8_dot, " ",
          plan.matrices.emulates_fp16, " ", plan.matrices.emulates_int8, " ", plan.matrices.khr, " ",
          plan.matrices.subgroup, " ", plan.matrices.flexible_side, " ", plan.kernels.text(),
          plan.shaders == Shaders::fast_compile ? " fast_compile" : "");
  for (const CooperativeMatrixShape& shape : {plan.matrices.fp16, plan.matrices.int8})
    limits += cat(" ", shape.rows, "x", shape.columns, "x", shape.inner);
  for (const Size3& size : {plan.max_group_size, plan.max_group_count}) {
    for (const uint32_t n : size) limits += cat(" ", n);
  }
  return limits;
}

// Identifies what measurements are valid for.
std::string measuring_key_of(const DevicePlan& plan) {
  return cat(plan.driver_key, ", ", shaders_checksum(), plan.matrices.emulates_fp16 ? " emulated" : "");
}

}  // namespace

VulkanDevice::VulkanDevice(VkPhysicalDevice physical, DevicePlan plan, std::string name,
                           std::vector<DeviceProperty> properties)
    : physical_(physical),
      plan_(std::move(plan)),
      info_{device_id(name), std::move(name), vendor_name(plan_.vendor_id)},
      device_info_(std::move(properties)),
      gate_(1 + plan_.queue.per_level),
      tuner_(std::make_shared<TileTuner>(
          TileFile(TileFile::default_path(), [plan = plan_] { return measuring_key_of(plan); }))) {}

Result<std::vector<Refusal>> VulkanDevice::supports(const Graph& graph, const CompileOptions& options) const {
  DevicePlan plan = plan_;
  plan.shaders = shaders_for(plan_, options);
  return node_refusals(graph, plan);
}

Result<std::unique_ptr<PreparedModel>> VulkanDevice::prepare(GraphPtr graph, const CompileOptions& options) {
  return restore(std::move(graph), options, nullptr);
}

std::string VulkanDevice::cache_key() const {
  return cat("Vulkan ", kModelFormat, fusing_is_on() ? " " : " plain ", shaders_checksum(), ", ",
             plan_.driver_key, ", ", limits_of(plan_));
}

Result<std::unique_ptr<PreparedModel>> VulkanDevice::restore(GraphPtr graph, const CompileOptions& options,
                                                             const SharedBytes& cached) {
  NNRT_ASSIGN(const auto hold, hold_process());
  NNRT_ASSIGN(ContextPtr context, this->context());
  NNRT_TRY(ensure_read(cached));  // late, because it may be read meanwhile
  return VulkanModel::create(std::move(context),
                             {std::move(graph), options.float16, level_for(plan_, options),
                              shaders_for(plan_, options), uses_residence(plan_, options), tuner_, cached});
}

Result<ContextPtr> VulkanDevice::context() {
  const std::lock_guard lock(mutex_);
  if (context_ != nullptr && !context_->lost()) return context_;
  context_ = nullptr;
  auto made = Context::create(physical_, plan_);
  if (!made.ok()) {
    Error error = std::move(made).error().during(cat("opening device ", info_.name));
    if (error.code == Code::failed) error.code = Code::unavailable_device;
    return error;
  }
  context_ = std::move(made).value();
  expect_process_end();
  return context_;
}

}  // namespace nnrt::vulkan
