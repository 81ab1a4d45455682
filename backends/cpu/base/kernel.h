// A kernel computes one node: a function in a table, no class for each operator.
#pragma once

#include "backends/cpu/base/aligned_memory.h"
#include "backends/cpu/base/thread_pool.h"
#include "core/base/bytes.h"
#include "core/passes/kernel_choice.h"
#include "core/schema/node_view.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::cpu {

// Keeps what a kernel prepacks of a node's constants from run to run. Several runs may ask at once.
class PrepackCache {
 public:
  // `bytes` bytes that `make` writes, once.
  template <typename Make>
  const std::byte* get(size_t bytes, const Make& make) {
    std::call_once(once_, [&] {
      if (given_ == nullptr) {
        own_ = allocate_or_throw(bytes);
        make(own_.data());
        values_ = {own_.data(), bytes};
      } else if (given_->size() == bytes) {
        values_ = *given_;
      }
    });
    return values_.data();
  }

  // Gives bytes that another process kept, aligned to floats: get() uses them instead of making any, and
  // returns null if they are not as long.
  void give(SharedBytes values) { given_ = std::move(values); }

  // Empty where nothing is kept. Not while a run may be making it.
  ByteView values() const { return values_; }

  // Returns whether these bytes are of that form, or of none yet: then they are of this one from now on. A
  // kernel that keeps nothing has the form null.
  using Form = void (*)();
  bool has(Form form) {
    Form known = nullptr;
    return form == nullptr || form_.compare_exchange_strong(known, form) || known == form;
  }

 private:
  std::atomic<Form> form_ = nullptr;
  std::once_flag once_;
  ByteView values_;
  AlignedMemory own_;
  SharedBytes given_;
};

// Bytes that are kept, or made for one run alone.
struct PrepackedBytes {
  const std::byte* data = nullptr;
  AlignedMemory own;

  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data);
  }
};

// The environment variable that forces and forbids implementations by name.
inline constexpr std::string_view kKernelsVariable = "NNRT_CPU_KERNELS";

inline constexpr uint8_t kNotChosen = 255;

struct KernelArgs {
  const NodeView& node;  // shapes of inputs and outputs are static, all inputs' contents known
  std::span<const std::byte* const> in;
  std::span<std::byte* const> out;
  ThreadPool& pool;
  PrepackCache* prepacked = nullptr;      // null: nothing is kept
  Scratch* scratch = nullptr;             // null where only what is kept is made
  bool shapes_stay = false;               // shapes were known before any run: what is kept may depend on them
  const KernelSwitch* kernels = nullptr;  // null: no implementation is forced or forbidden
  uint8_t chosen = kNotChosen;  // the row of the operator's list, where it was chosen before the run

  template <typename T>
  const T* input(size_t i) const {
    return reinterpret_cast<const T*>(in[i]);
  }
  template <typename T>
  T* output(size_t i = 0) const {
    return reinterpret_cast<T*>(out[i]);
  }

  // Returns whether inputs [first, last], or [first, the last there is], are constant.
  bool are_constant(size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i)
      if (!node.input(i).is_constant()) return false;
    return true;
  }
  bool are_constant(size_t first) const { return are_constant(first, node.input_count() - 1); }

  // The bytes that `make` writes of those inputs; made once where they are constant. One thing for each node.
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

// Null where the operator is not built yet.
Kernel kernel(Op op);

// Does only the part of the kernel that is kept, for which the contents of constants alone must be known, and
// `chosen` where the operator has a list. Null where the operator keeps nothing.
Kernel prepack_kernel(Op op);

// Returns the row to use of the operator's list of implementations, and writes it to `log` unless that is
// null. It looks at shapes and types alone, not at contents.
using ChooseKernel = Result<uint8_t> (*)(const KernelArgs&, KernelLog* log);

// Null where the operator has one implementation.
ChooseKernel chooser(Op op);

// Returns whether a run of the chosen row reads the weights, input 1, as they are, although they were
// prepacked.
using ReadsWeights = bool (*)(const KernelArgs&);

// Null where no run does.
ReadsWeights reads_weights(Op op);

// The names in all lists, each once.
std::vector<std::string_view> implementation_names();

}  // namespace nnrt::cpu
