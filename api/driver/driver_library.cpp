// What libnnrt_vdi_impl.z.so exports: for OpenHarmony's generic service, for a service that is a class of the
// driver, and as a plugin of this runtime. A board's build, with its own headers, has no V1_0 and no plugin.
#include "api/driver/driver_methods.h"
#include "backends/devices.h"
#include "core/base/text.h"
#include "core/platform/settings.h"
#include "core/platform/settings_check.h"

#ifdef NNRT_BOARD_HDI_MINOR
#include "api/driver/board_types.h"
#else
#include "api/driver/v1_0_device.h"
#include "backends/plugin/hdi_enums.h"
#endif

#include <neural_network_runtime/hdi/plugin.h>
#include <neural_network_runtime/hdi/v2_0/innrt_device_vdi.h>

namespace nnrt::driver {
namespace {

#ifdef NNRT_BOARD_HDI_MINOR

using VdiDevice = DriverMethods<board::INnrtDeviceVdi, BoardTypes>;
using NnrtDevice = DriverMethods<board::INnrtDevice, BoardTypes>;

#else

using VdiDevice = DriverMethods<hdi::INnrtDeviceVdi>;

std::vector<hdi::IOTensor> described(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<hdi::IOTensor> tensors;
  for (const TensorId id : ids) {
    const Tensor& tensor = graph.tensors[id];
    tensors.push_back({tensor.name,
                       plugin::to_hdi(tensor.dtype),
                       {tensor.shape.begin(), tensor.shape.end()},
                       plugin::to_hdi(tensor.format),
                       {}});
  }
  return tensors;
}

class NnrtDevice final : public DriverMethods<hdi::INnrtDevice>,
                         public ::nnrt::hdi::IDeviceTraits,
                         public ::nnrt::hdi::IDescriptorBorrower {
 public:
  using DriverMethods::DriverMethods;

  int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) override {
    majorVer = 2;
    minorVer = 1;
    return hdi::NNRT_SUCCESS;
  }
  int32_t DescribeOfflineModel(hdi::IPreparedModel& model, std::vector<hdi::IOTensor>& inputs,
                               std::vector<hdi::IOTensor>& outputs) override {
    return answer(__func__, hdi::NNRT_INVALID_PARAMETER, [&]() -> Status {
      const Graph& graph = dynamic_cast<const DriverModel&>(model).graph();
      inputs = described(graph, graph.inputs);
      outputs = described(graph, graph.outputs);
      return {};
    });
  }
};

#endif

// Null, with a line in the log, if there is no device.
std::shared_ptr<Driver> make_driver() {
  check_environment();
  const char* const text = setting_text(Setting::driver_devices);
  const std::string devices = text == nullptr ? "vulkan,cpu" : text;
  auto found = builtin_devices(builtin_selection(devices.c_str()));
  if (!found.empty()) return std::make_shared<Driver>(std::move(found));
  log(LogLevel::error, cat("There is no device of NNRT_DRIVER_DEVICES (", devices, ")."));
  return nullptr;
}

// One for all objects of this process. Never destroyed: devices do not survive exit handlers.
const std::shared_ptr<Driver>& shared_driver() {
  static const auto& driver = *std::make_unique<std::shared_ptr<Driver>>(make_driver()).release();
  return driver;
}

// Null if there is no device.
template <typename Device>
Device* make() noexcept {
  Device* made = nullptr;
  static_cast<void>(answer("CreateNnrtDeviceVdi", hdi::NNRT_FAILED, [&]() -> Status {
    if (shared_driver() != nullptr) made = std::make_unique<Device>(shared_driver()).release();
    return {};
  }));
  return made;
}

}  // namespace
}  // namespace nnrt::driver

NNRT_HDI_NAMESPACE::INnrtDeviceVdi* CreateNnrtDeviceVdi() {
  return nnrt::driver::make<nnrt::driver::VdiDevice>();
}

void DestroyNnrtDeviceVdi(NNRT_HDI_NAMESPACE::INnrtDeviceVdi* device) { delete device; }

NNRT_HDI_NAMESPACE::INnrtDevice* NnrtDeviceImplGetInstance() {
  return nnrt::driver::make<nnrt::driver::NnrtDevice>();
}

#ifndef NNRT_BOARD_HDI_MINOR

nnrt::hdi::V1_0::INnrtDevice* CreateNnrtDeviceV1_0() {
  std::unique_ptr<nnrt::hdi::V2_0::INnrtDevice> device(NnrtDeviceImplGetInstance());
  if (device == nullptr) return nullptr;
  return std::make_unique<nnrt::driver::V1_0Device>(std::move(device)).release();
}

NNRT_EXPORT_PLUGIN([](uint32_t index) -> nnrt::hdi::V2_0::INnrtDevice* {
  return index == 0 ? nnrt::driver::make<nnrt::driver::NnrtDevice>() : nullptr;
})

#endif
