// Reports results as text and as JSON.
#pragma once

#include "tools/nnrt/data/results.h"

#include <nlohmann/json_fwd.hpp>

#include <ostream>

namespace nnrt::tool {

// Prints the boxes of a detector, the best classes of a classifier, otherwise statistics of each output.
void report(std::ostream& out, std::span<const Output> outputs, std::span<const std::string> labels);

// As JSON: {"outputs": [{name, dtype, shape, classes or figures}], "boxes": [...] for a detector}.
nlohmann::ordered_json report_json(std::span<const Output> outputs, std::span<const std::string> labels);

}  // namespace nnrt::tool
