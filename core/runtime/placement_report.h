// Reports how a model was placed, for NNRT_PLACEMENT and the extension config of that meaning.
#pragma once

#include "core/runtime/compile.h"

#include <string>

namespace nnrt {

// Appends to the file, as JSON where its name ends so; "-" is standard output, an empty path nothing. Warns
// if the file cannot be written: the model is none the worse for it.
void write_placement(const std::string& path, const CompiledModel& model);

}  // namespace nnrt
