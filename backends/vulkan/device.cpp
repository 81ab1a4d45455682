#include "backends/vulkan/device.h"

#include "backends/vulkan/half_graph.h"
#include "backends/vulkan/prepared_model.h"
#include "backends/vulkan/supports.h"
#include "core/device_registry.h"

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
  NNRT_ASSIGN(ContextPtr context, this->context());
  if (options.float16) graph = std::make_shared<const Graph>(with_halves(*graph, plan_));
  return VulkanModel::create(std::move(context), std::move(graph));
}

Result<ContextPtr> VulkanDevice::robust_context() {
  if (plan_.robust_access) return context();
  DevicePlan plan = plan_;
  plan.robust_access = true;
  return open(robust_context_, plan);
}

Result<ContextPtr> VulkanDevice::open(ContextPtr& context, const DevicePlan& plan) {
  const std::lock_guard lock(mutex_);
  if (context != nullptr && !context->lost()) return context;
  context = nullptr;
  auto made = Context::create(physical_, plan);
  if (!made.ok()) {
    Error error = std::move(made).error().during(cat("opening device ", info_.name));
    if (error.code == Code::failed) error.code = Code::unavailable_device;
    return error;
  }
  context = std::move(made).value();
  return context;
}

}  // namespace nnrt::vulkan
