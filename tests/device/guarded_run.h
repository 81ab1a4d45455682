// A run with every byte around its tensors watched.
#pragma once

#include "core/device/device.h"
#include "tests/support/random/random.h"

#include <vector>

namespace nnrt::test {

// Prepares the graph on the device and runs it with these inputs. All tensors lie in one memory, at offsets
// that are multiples of 64 or, where `anywhere`, sometimes odd ones. An error also where the run changes a
// byte that is not of an output.
Result<std::vector<Bytes>> run_guarded(Device& device, const GraphPtr& graph,
                                       const std::vector<Bytes>& inputs, Random& random, bool anywhere,
                                       const CompileOptions& options = {});

}  // namespace nnrt::test
