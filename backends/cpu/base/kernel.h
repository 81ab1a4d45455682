// A kernel computes one node. Kernels are functions in a table, not a class per operator.
#pragma once

#include "backends/cpu/base/aligned_memory.h"
#include "backends/cpu/base/thread_pool.h"
#include "core/base/bytes.h"
#include "core/passes/kernel_choice.h"
#include "core/schema/node_view.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::cpu {

// Caches the constants a kernel prepacks across runs. Thread-safe.
class PrepackCache {
 public:
  // Returns `bytes` bytes written by `make`, which is called once.
  template <typename Make>
  const std::byte* get(size_t bytes, const Make& make) {
    std::call_once(once_, [&] {
      if (given_ == nullptr) {
        own_ = allocate_kept_or_throw(bytes);
        make(own_.data());
        values_ = {own_.data(), bytes};
      } else if (given_->size() == bytes) {
        values_ = *given_;
      }
    });
    return values_.data();
  }

  // Provides bytes loaded from a cache file, aligned for floats; null if the file has none. get() then
  // returns them instead of calling `make`, or null if the size differs.
  void restore(SharedBytes values) {
    is_restored_ = true;
    given_ = std::move(values);
  }
  // The bytes given to restore(), which may be empty.
  std::optional<ByteView> restored() const {
    if (!is_restored_) return std::nullopt;
    return given_ == nullptr ? ByteView() : ByteView(*given_);
  }

  // Remembers what the first caller finds out about the constants.
  template <typename Find>
  uint8_t fact(const Find& find) {
    std::call_once(fact_once_, [&] { fact_ = find(); });
    return fact_;
  }

  // Empty if nothing is cached. Must not race with get().
  ByteView values() const { return values_; }

  // Returns whether the cached bytes have this form; the first call sets the form. Kernels without prepacking
  // use null.
  using Form = void (*)();
  bool has(Form form) {
    Form known = nullptr;
    return form == nullptr || form_.compare_exchange_strong(known, form) || known == form;
  }

 private:
  std::atomic<Form> form_ = nullptr;
  std::once_flag once_, fact_once_;
  uint8_t fact_ = 0;
  bool is_restored_ = false;
  ByteView values_;
  AlignedMemory own_;
  SharedBytes given_;
};

// Prepacked bytes: cached, or owned by a single run.
struct PrepackedBytes {
  const std::byte* data = nullptr;
  AlignedMemory own;

  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data);
  }
};

// Environment variable that forces or disables implementations by name.
inline constexpr std::string_view kKernelsVariable = "NNRT_CPU_KERNELS";

inline constexpr uint8_t kNotChosen = 255;

struct KernelArgs {
  const NodeView& node;  // input and output shapes are static, input contents available
  std::span<const std::byte* const> in;
  std::span<std::byte* const> out;
  ThreadPool& pool;
  PrepackCache* prepacked = nullptr;      // null: nothing is cached
  Scratch* scratch = nullptr;             // null while only prepacking
  bool shapes_stay = false;               // shapes are static, so prepacked data may depend on them
  const KernelSwitch* kernels = nullptr;  // null: no implementation is forced or disabled
  uint8_t chosen = kNotChosen;            // row of the operator's list, if chosen before the run
  bool may_round = false;                 // weights may be rounded to FLOAT16

  template <typename T>
  const T* input(size_t i) const {
    return reinterpret_cast<const T*>(in[i]);
  }
  template <typename T>
  T* output(size_t i = 0) const {
    return reinterpret_cast<T*>(out[i]);
  }

  // Returns whether inputs [first, last] are constant; `last` is clamped to the last input present.
  bool are_constant(size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i)
      if (!node.input(i).is_constant()) return false;
    return true;
  }
  bool are_constant(size_t first) const { return are_constant(first, node.input_count() - 1); }

  // The bytes `make` writes from those inputs; written once if they are constant. At most one buffer per
  // node.
  template <typename Make>
  PrepackedBytes prepacked_from(size_t first, size_t bytes, const Make& make) const {
    return prepacked_of(first, node.input_count() - 1, bytes, make);
  }
  template <typename Make>
  PrepackedBytes prepacked_of(size_t first, size_t last, size_t bytes, const Make& make) const {
    if (prepacked != nullptr && are_constant(first, last)) return {prepacked->get(bytes, make), {}};
    PrepackedBytes made{nullptr, allocate_or_throw(bytes)};
    make(made.own.data());
    made.data = made.own.data();
    return made;
  }
};

using Kernel = Status (*)(const KernelArgs&);

// Null if the operator is not implemented.
Kernel kernel(Op op);

// Runs only the prepacking part of the kernel. Needs the contents of constants only, and `chosen` if the
// operator has a list. Null if the operator prepacks nothing.
Kernel prepack_kernel(Op op);

// Selects a row of the operator's list of implementations, and reports it to `log` unless that is null.
// Depends on shapes, types and constants, but not on contents known only in a run.
using ChooseKernel = Result<uint8_t> (*)(const KernelArgs&, KernelLog* log);

// Null if the operator has a single implementation.
ChooseKernel chooser(Op op);

// Returns whether runs of the chosen row read the raw weights (input 1) even though they were prepacked.
using ReadsWeights = bool (*)(const KernelArgs&);

// Null if no run does.
ReadsWeights reads_weights(Op op);

// All implementation names, without duplicates.
std::vector<std::string_view> implementation_names();

// Those of one operator, in the order of its list; none if it has a single implementation.
std::vector<std::string_view> implementation_names(Op op);

}  // namespace nnrt::cpu
