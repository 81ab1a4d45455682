// A model whose device may have no memory left for a run: another device then does it.
#pragma once

#include "core/device.h"

#include <memory>

namespace nnrt {

// `graph` is what `device` prepared `model` from; `fallback` takes all of it, and prepares it at first need.
// Each run is tried on `device` first. The model as it is where there is no fallback, or it needs none.
std::unique_ptr<PreparedModel> with_fallback(std::unique_ptr<PreparedModel> model, const Device& device,
                                             GraphPtr graph, Device* fallback, const CompileOptions& options);

// A line in the log: what `error` says, and where its operations run instead.
void log_fallback(const Error& error, const Device& fallback);

}  // namespace nnrt
