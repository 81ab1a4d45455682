// A kernel computes one node: a function in a table, no class for each operator.
#pragma once

#include "backends/cpu/parallel.h"
#include "core/node_view.h"

#include <memory>
#include <mutex>
#include <span>

namespace nnrt::cpu {

// What a kernel made of a node's constants, kept from run to run. Several runs may ask at once.
class Kept {
 public:
  template <typename T, typename Make>
  std::shared_ptr<const T> get(const Make& make) {
    std::call_once(once_, [&] { value_ = std::make_shared<const T>(make()); });
    return std::static_pointer_cast<const T>(value_);
  }

 private:
  std::once_flag once_;
  std::shared_ptr<const void> value_;
};

struct KernelArgs {
  const NodeView& node;  // shapes of inputs and outputs are static, all inputs' contents known
  std::span<const std::byte* const> in;
  std::span<std::byte* const> out;
  ThreadPool& pool;
  Kept* kept = nullptr;  // null: nothing is kept

  template <typename T>
  const T* input(size_t i) const {
    return reinterpret_cast<const T*>(in[i]);
  }
  template <typename T>
  T* output(size_t i = 0) const {
    return reinterpret_cast<T*>(out[i]);
  }

  // What `make` makes of input i; made once where that is constant. One thing for each node.
  template <typename T, typename Make>
  std::shared_ptr<const T> kept_from(size_t i, const Make& make) const {
    if (kept == nullptr || !node.input(i).is_constant()) return std::make_shared<const T>(make());
    return kept->get<T>(make);
  }
};

using Kernel = Status (*)(const KernelArgs&);

// Null where the operator is not built yet.
Kernel kernel(Op op);

}  // namespace nnrt::cpu
