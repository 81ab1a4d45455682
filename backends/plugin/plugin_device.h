// A device of a driver from outside.
#pragma once

#include "core/device/device.h"

#include <memory>

namespace nnrt::hdi::V2_0 {
class INnrtDevice;
}

namespace nnrt::plugin {

// unavailable_device: it does not report its names or its version.
Result<std::shared_ptr<Device>> make_device(std::shared_ptr<::nnrt::hdi::V2_0::INnrtDevice> driver);

}  // namespace nnrt::plugin
