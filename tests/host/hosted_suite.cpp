// Runs tests/device against a device in a separate process, selected by NNRT_TEST_SUITE_DEVICES (in the
// syntax of NNRT_DEVICES).
#include "backends/host/client/host_client.h"
#include "tests/device/device_suite.h"

namespace nnrt::test {

std::shared_ptr<Device> suite_device() {
  const char* const name = std::getenv("NNRT_TEST_SUITE_DEVICES");
  static const host::Devices devices = host::start_devices({"--devices", name == nullptr ? "cpu" : name});
  EXPECT_FALSE(devices.empty());
  return devices.at(0);
}

// The host chooses the mode.
std::vector<SuiteMode> suite_modes() { return {{"as it is", suite_device()}}; }

}  // namespace nnrt::test
