// Runs a model on another device if its own is out of memory or cannot handle the shapes of a run.
#pragma once

#include "core/device/device.h"

#include <memory>

namespace nnrt {

// Returns whether an error of Build or a run is specific to this device: out of memory, or sizes beyond its
// limits.
bool may_work_elsewhere(const Error& error);

// `graph` is what `device` prepared `model` from; `fallback` supports all of it, and prepares it when first
// needed. Each run is tried on `device` first; sizes beyond its limits only trigger the fallback for dynamic
// shapes. Returns `model` unchanged if there is no fallback or none is needed.
std::unique_ptr<PreparedModel> with_fallback(std::unique_ptr<PreparedModel> model, const Device& device,
                                             GraphPtr graph, Device* fallback, const CompileOptions& options);

// Logs `error` and the device that runs its operations instead.
void log_fallback(const Error& error, const Device& fallback);

}  // namespace nnrt
