#include "tools/nnrt/base/json_output.h"

#include <nlohmann/json.hpp>

namespace nnrt::tool {

void print_json(std::ostream& out, const nlohmann::ordered_json& json) {
  out << json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace nnrt::tool
