// Access to environment variables. The runtime's own ones are rows of core/platform/settings.h.
#pragma once

#include <functional>
#include <string_view>

namespace nnrt {

// Null if unset. Always null in a program with elevated privileges (setuid, setgid, file capabilities:
// AT_SECURE), where the environment must not choose libraries to load or files to write.
const char* environment(const char* name);

// Calls `visit` for each variable whose name starts with `prefix`.
void for_each_variable(std::string_view prefix,
                       const std::function<void(std::string_view name, std::string_view value)>& visit);

}  // namespace nnrt
