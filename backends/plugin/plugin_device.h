// A device of a driver from outside.
#pragma once

#include "core/device/device.h"

#include <memory>

namespace nnrt::hdi::V2_0 {
class INnrtDevice;
}

namespace nnrt::plugin {

// `file` is the library that has the driver; empty: the program itself. unavailable_device: it does not
// report its names or its version.
Result<std::shared_ptr<Device>> make_device(std::shared_ptr<::nnrt::hdi::V2_0::INnrtDevice> driver,
                                            std::string file = "");

}  // namespace nnrt::plugin
