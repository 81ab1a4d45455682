// Text files shared by several processes for measurements, one line per entry.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

// NNRT_COSTS, otherwise nnrt/costs in XDG_CACHE_HOME. Empty: nothing is stored. "off": nothing is measured
// either.
std::string measurements_path();

// Empty if there is no such file. Callers must validate the lines: they may be torn or foreign.
std::vector<std::string> read_lines(const std::string& path);

// Removes the lines for which `is_replaced` is true and appends `text`, which ends with a line feed. The file
// is replaced atomically. Creates the folder if needed; write errors are ignored.
void replace_lines(const std::string& path, const std::function<bool(std::string_view)>& is_replaced,
                   std::string_view text);

}  // namespace nnrt
