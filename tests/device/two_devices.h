// What a GPU says of a graph, against the CPU device.
#pragma once

#include "core/normalize.h"
#include "tests/device/fixture.h"
#include "tests/device/guarded_run.h"

#include <cstdlib>

namespace nnrt::test {

inline uint32_t number_from(const char* variable, uint32_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : uint32_t(std::strtoul(text, nullptr, 10));
}

inline Refusal first_refusal(const Device& device, const Graph& graph) {
  for (const Refusal& refusal : device.supports(graph, {})) {
    if (refusal) return refusal;
  }
  return std::nullopt;
}

}  // namespace nnrt::test
