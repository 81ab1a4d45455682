// Ten operations with expected results, on one device.
#pragma once

#include <nlohmann/json.hpp>

namespace nnrt::tool {

// [{"operation", "ms", "problem"}]: the time of the first run after Build, and what is wrong with the result;
// empty if it is right. `device` is one of describe_devices(). Runs in a child process; the parent must not
// have called the library yet.
nlohmann::ordered_json self_test(const nlohmann::ordered_json& device);

}  // namespace nnrt::tool
