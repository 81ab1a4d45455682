// Runs a graph and checks every byte around its tensors.
#pragma once

#include "core/device/device.h"
#include "tests/support/random/random.h"

#include <vector>

namespace nnrt::test {

// Prepares the graph on the device and runs it with these inputs. All tensors are in one memory, at offsets
// that are multiples of 64, or with `anywhere` also odd. Fails if the run changes a byte outside of the
// outputs.
Result<std::vector<Bytes>> run_guarded(Device& device, const GraphPtr& graph,
                                       const std::vector<Bytes>& inputs, Random& random, bool anywhere,
                                       const CompileOptions& options = {});

}  // namespace nnrt::test
