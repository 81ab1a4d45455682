// Documents that the option --json shows.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ostream>

namespace nnrt::tool {

// Writes a document with indents, in ASCII alone. Numbers that are not finite are null, and bytes of a name
// that are no UTF-8 are replaced.
void print_json(std::ostream& out, const nlohmann::ordered_json& json);

}  // namespace nnrt::tool
