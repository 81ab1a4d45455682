// Text files in which several processes keep what they measured, a line for each entry.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

// The file of NNRT_COSTS, or else nnrt/costs in XDG_CACHE_HOME. Empty: nothing is kept. "off": nothing is
// measured either.
std::string measurements_path();

// Empty where there is no such file. Whoever reads a line judges it: it may be torn or foreign.
std::vector<std::string> read_lines(const std::string& path);

// Leaves out the lines that `is_replaced`, and appends `text`, which ends with a line feed. Others read the
// old file or the new one. The folder is made where it is missing; what cannot be written is not.
void replace_lines(const std::string& path, const std::function<bool(std::string_view)>& is_replaced,
                   std::string_view text);

}  // namespace nnrt
