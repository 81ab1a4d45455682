// Writes the placement report for NNRT_PLACEMENT and the extension config.
#pragma once

#include "core/runtime/compile.h"

#include <string>

namespace nnrt {

// Appends to the file, as JSON if its extension says so; "-" is standard output, an empty path disables it.
// Only warns if the file cannot be written.
void write_placement(const std::string& path, const CompiledModel& model);

}  // namespace nnrt
