// All devices with their properties.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

namespace nnrt::tool {

// What OH_NNRt_DescribeDevice says of each device; "unavailable" is the reason if its driver fails.
Result<nlohmann::ordered_json> describe_devices();

// As readable text.
void print_devices(const nlohmann::ordered_json& descriptions);

}  // namespace nnrt::tool
