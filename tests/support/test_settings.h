// The variables that test programs read; core/platform/settings.cpp has them in its table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace nnrt::test {

template <typename Number>
Number number_from(const char* variable, Number fallback) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? fallback : static_cast<Number>(std::strtoul(text, nullptr, 10));
}

// Returns how many of the draws of a random test are made: a quarter, and with NNRT_TEST_DRAWS another
// percentage.
inline uint32_t draws(uint32_t all) {
  const uint32_t percent = number_from("NNRT_TEST_DRAWS", 25u);
  return std::max<uint32_t>(1, uint32_t(uint64_t{all} * percent / 100));
}

inline bool sweeps_all_faults() {
  const char* const text = std::getenv("NNRT_TEST_FAULTS");
  return text != nullptr && std::string_view(text) == "all";
}

}  // namespace nnrt::test
