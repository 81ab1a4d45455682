// Operand values between the graphs of a plan, in the core's representation.
#pragma once

#include "core/platform/shared_memory.h"

#include <optional>
#include <vector>

namespace nnrt::nnapi {

struct HostValue {
  bool omitted = false;
  Shape shape;      // empty for a scalar
  TensorView view;  // no memory if empty, or if only known at run time

  bool has_elements() const { return view.memory != nullptr; }
  ByteView bytes() const { return {view.data(), view.bytes}; }
};

// By operand; empty if not computed yet.
using HostValues = std::vector<std::optional<HostValue>>;

}  // namespace nnrt::nnapi
