// ATTENTION that writes its keys and values as it reads them.
#pragma once

#include "backends/cpu/base/kernel.h"

#include <array>

namespace nnrt::cpu {

// Keys or values that are still in two tensors: for each matrix, rows of the first, then rows of the second.
struct AppendedRows {
  const std::byte *first = nullptr, *second = nullptr;
  int64_t first_rows = 0;   // per matrix
  std::byte* to = nullptr;  // where to join them; null: the node's input is complete
};
using AppendedInputs = std::array<AppendedRows, 2>;  // keys, values

// Returns whether append_and_attend() supports the node's shapes: so few queries that keys and values are
// read once. Otherwise, joining first is as fast.
bool can_append_and_attend(const NodeView& node);

// Writes the inputs and computes the node, with the same bits as one after the other.
Status append_and_attend(const KernelArgs& args, const AppendedInputs& joined);

}  // namespace nnrt::cpu
