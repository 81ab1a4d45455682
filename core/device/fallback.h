// A model whose device may have no memory left for a run, or find that the shapes of a run are beyond it:
// another device then does it.
#pragma once

#include "core/device/device.h"

#include <memory>

namespace nnrt {

// Returns whether an error in Build or in a run is a matter of this device alone: it has no memory left, or
// the sizes are beyond it.
bool may_work_elsewhere(const Error& error);

// `graph` is what `device` prepared `model` from; `fallback` takes all of it, and prepares it at first need.
// Each run is tried on `device` first; that sizes are beyond it counts there only for open shapes. The model
// as it is where there is no fallback, or it needs none.
std::unique_ptr<PreparedModel> with_fallback(std::unique_ptr<PreparedModel> model, const Device& device,
                                             GraphPtr graph, Device* fallback, const CompileOptions& options);

// A line in the log: what `error` says, and where its operations run instead.
void log_fallback(const Error& error, const Device& fallback);

}  // namespace nnrt
