// Reports results of a model for people, and for programs.
#pragma once

#include "tools/nnrt/data/results.h"

#include <nlohmann/json_fwd.hpp>

#include <ostream>

namespace nnrt::tool {

// Writes the boxes of a detector, the best classes of a classifier, else a line of figures for each output.
void report(std::ostream& out, std::span<const Output> outputs, std::span<const std::string> labels);

// The same as JSON: {"outputs": [{name, dtype, shape, classes or figures}], "boxes": [...] of a detector}.
nlohmann::ordered_json report_json(std::span<const Output> outputs, std::span<const std::string> labels);

}  // namespace nnrt::tool
