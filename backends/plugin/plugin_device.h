// A device backed by a third-party driver.
#pragma once

#include "core/device/device.h"

#include <memory>

namespace nnrt::hdi::V2_0 {
class INnrtDevice;
}

namespace nnrt::plugin {

// `file`: the library that contains the driver; empty for the program itself. unavailable_device: the driver
// does not report its name or version.
Result<std::shared_ptr<Device>> make_device(std::shared_ptr<::nnrt::hdi::V2_0::INnrtDevice> driver,
                                            std::string file = "");

}  // namespace nnrt::plugin
