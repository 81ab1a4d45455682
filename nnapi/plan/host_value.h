// Values of operands between the graphs of a plan, in the core's form.
#pragma once

#include "core/platform/shared_memory.h"

#include <optional>
#include <vector>

namespace nnrt::nnapi {

struct HostValue {
  bool omitted = false;
  Shape shape;      // empty for a scalar
  TensorView view;  // without memory where only a run will know the elements, and where there are none

  bool has_elements() const { return view.memory != nullptr; }
  ByteView bytes() const { return {view.data(), view.bytes}; }
};

// By operand: nothing where it is not computed yet.
using HostValues = std::vector<std::optional<HostValue>>;

}  // namespace nnrt::nnapi
