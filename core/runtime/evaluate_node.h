// Evaluates constant nodes at build time.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// Runs a graph without inputs on a device; returns the bytes of its outputs, whose shapes must be known.
Result<std::vector<Bytes>> evaluate(Device& device, const GraphPtr& graph);

}  // namespace nnrt
