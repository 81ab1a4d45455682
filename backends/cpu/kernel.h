// A kernel computes one node: a function in a table, no class for each operator.
#pragma once

#include "backends/cpu/parallel.h"
#include "core/node_view.h"

#include <span>

namespace nnrt::cpu {

struct KernelArgs {
  const NodeView& node;  // shapes of inputs and outputs are static, all inputs' contents known
  std::span<const std::byte* const> in;
  std::span<std::byte* const> out;
  ThreadPool& pool;

  template <typename T>
  const T* input(size_t i) const {
    return reinterpret_cast<const T*>(in[i]);
  }
  template <typename T>
  T* output(size_t i = 0) const {
    return reinterpret_cast<T*>(out[i]);
  }
};

using Kernel = Status (*)(const KernelArgs&);

// Null where the operator is not built yet.
Kernel kernel(Op op);

}  // namespace nnrt::cpu
