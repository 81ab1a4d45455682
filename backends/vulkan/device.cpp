#include "backends/vulkan/device.h"

#include "backends/vulkan/embedded_shaders.h"
#include "backends/vulkan/model_file.h"
#include "backends/vulkan/prepared_model.h"
#include "backends/vulkan/process_end.h"
#include "backends/vulkan/supports.h"
#include "core/cache/checksum.h"
#include "core/device_registry.h"
#include "core/fuse.h"

namespace nnrt::vulkan {
namespace {

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

// What lowering and the plan of memory depend on.
std::string limits_of(const DevicePlan& plan) {
  std::string limits =
      cat(plan.storage_alignment, " ", plan.max_storage_range, " ", plan.max_texels, " ", plan.max_allocation,
          " ", plan.max_group_invocations, " ", plan.max_shared_bytes, " ", plan.store_halves, " ",
          plan.native_halves, " ", plan.packed_dots, " ", plan.matrices.rows, "x", plan.matrices.columns, "x",
          plan.matrices.inner, " ", plan.emulates_matrices, " ", plan.path, " ", int(plan.winograd),
          plan.shaders == Shaders::quick ? " quick" : "");
  for (const Size3& size : {plan.max_group_size, plan.max_group_count}) {
    for (const uint32_t n : size) limits += cat(" ", n);
  }
  return limits;
}

}  // namespace

VulkanDevice::VulkanDevice(VkPhysicalDevice physical, DevicePlan plan, std::string name,
                           std::vector<Fact> facts)
    : physical_(physical),
      plan_(std::move(plan)),
      info_{device_id(name), std::move(name), vendor_name(plan_.vendor_id), DeviceType::gpu},
      facts_(std::move(facts)) {}

std::vector<Refusal> VulkanDevice::supports(const Graph& graph, const CompileOptions&) const {
  return judge(graph, plan_);
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
  return VulkanModel::create(
      std::move(context),
      {std::move(graph), options.float16, queue_for(plan_, options), shaders_for(plan_, options), cached});
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
