// Reads all variables of the environment. Those of the runtime are rows of core/platform/settings.h.
#pragma once

#include <functional>
#include <string_view>

namespace nnrt {

// Null: it is not set. In a program with rights that who started it does not have (setuid, setgid, file
// capabilities: AT_SECURE) none is set: nobody else is to say which libraries it loads and which files it
// writes.
const char* environment(const char* name);

// Calls `visit` with the name and the value of each variable that is set and begins with `prefix`.
void for_each_variable(std::string_view prefix,
                       const std::function<void(std::string_view name, std::string_view value)>& visit);

}  // namespace nnrt
