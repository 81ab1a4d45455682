// tests/device against a device in a process of its own: NNRT_SUITE_DEVICES says which, as NNRT_DEVICES does.
#include "backends/host/client.h"
#include "tests/device/suite.h"

namespace nnrt::test {

std::shared_ptr<Device> suite_device() {
  const char* const name = std::getenv("NNRT_SUITE_DEVICES");
  static const host::Devices devices = host::start_devices({"--devices", name == nullptr ? "cpu" : name});
  EXPECT_FALSE(devices.empty());
  return devices.at(0);
}

}  // namespace nnrt::test
