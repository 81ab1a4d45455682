// The name of a device as clients see it.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// With the prefix that NNRT_DEVICES sets. Valid for the life of the process.
const char* client_name(const Device& device);

}  // namespace nnrt
