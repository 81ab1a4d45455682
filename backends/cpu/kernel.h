// A kernel computes one node: a function in a table, no class for each operator.
#pragma once

#include "backends/cpu/parallel.h"
#include "core/bytes.h"
#include "core/node_view.h"

#include <memory>
#include <mutex>
#include <span>

namespace nnrt::cpu {

// What a kernel makes of a node's constants, kept from run to run. Several runs may ask at once.
class Kept {
 public:
  // `count` floats that `make` writes, once.
  template <typename Make>
  const float* get(size_t count, const Make& make) {
    std::call_once(once_, [&] {
      if (given_ != nullptr && given_->size() != count * sizeof(float)) return;
      values_ = {given_ != nullptr ? floats_in_given() : made(count, make), count};
    });
    return values_.data();
  }

  // What another process kept, in memory aligned to floats: get() uses it instead of making it, and gives
  // null where it is not as long.
  void give(SharedBytes values) { given_ = std::move(values); }

  // Empty where nothing is kept. Not while a run may be making it.
  std::span<const float> values() const { return values_; }

 private:
  const float* floats_in_given() const { return reinterpret_cast<const float*>(given_->data()); }
  template <typename Make>
  const float* made(size_t count, const Make& make) {
    own_ = std::make_unique_for_overwrite<float[]>(count);
    make(own_.get());
    return own_.get();
  }

  std::once_flag once_;
  std::span<const float> values_;
  std::unique_ptr<float[]> own_;
  SharedBytes given_;
};

// Floats that are kept, or made for one run alone.
struct KeptFloats {
  const float* data = nullptr;
  std::unique_ptr<float[]> own;
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

  // The `count` floats that `make` writes of input i; made once where that is constant. One thing for each
  // node.
  template <typename Make>
  KeptFloats kept_from(size_t i, size_t count, const Make& make) const {
    if (kept != nullptr && node.input(i).is_constant()) return {kept->get(count, make), nullptr};
    auto own = std::make_unique_for_overwrite<float[]>(count);
    make(own.get());
    return {own.get(), std::move(own)};
  }
};

using Kernel = Status (*)(const KernelArgs&);

// Null where the operator is not built yet.
Kernel kernel(Op op);

// Does only the part of the kernel that is kept, for which the contents of constants alone must be known.
// Null where the operator keeps nothing.
Kernel keeper(Op op);

}  // namespace nnrt::cpu
