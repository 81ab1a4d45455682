// Variables read by test programs; they are listed in the table of core/platform/settings.cpp.
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

// The number of draws a random test makes: 25%, or NNRT_TEST_DRAWS percent.
inline uint32_t draws(uint32_t all) {
  const uint32_t percent = number_from("NNRT_TEST_DRAWS", 25u);
  return std::max<uint32_t>(1, uint32_t(uint64_t{all} * percent / 100));
}

inline bool sweeps_all_faults() {
  const char* const text = std::getenv("NNRT_TEST_FAULTS");
  return text != nullptr && std::string_view(text) == "all";
}

}  // namespace nnrt::test
