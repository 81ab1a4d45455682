// Output of the option --json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ostream>

namespace nnrt::tool {

// Prints indented ASCII JSON. Non-finite numbers become null, and invalid UTF-8 in names is replaced.
void print_json(std::ostream& out, const nlohmann::ordered_json& json);

}  // namespace nnrt::tool
