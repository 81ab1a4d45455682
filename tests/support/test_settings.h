// The variables that test programs read; core/platform/settings.cpp has them in its table.
#pragma once

#include <cstdlib>
#include <string_view>

namespace nnrt::test {

template <typename Number>
Number number_from(const char* variable, Number fallback) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? fallback : static_cast<Number>(std::strtoul(text, nullptr, 10));
}

inline bool sweeps_all_faults() {
  const char* const text = std::getenv("NNRT_TEST_FAULTS");
  return text != nullptr && std::string_view(text) == "all";
}

}  // namespace nnrt::test
