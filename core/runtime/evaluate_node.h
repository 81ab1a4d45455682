// Values of constants that a model computes from others, found out while it is built.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// Runs a graph without inputs on a device. The bytes of its outputs, whose shapes are known.
Result<std::vector<Bytes>> evaluate(Device& device, const GraphPtr& graph);

}  // namespace nnrt
