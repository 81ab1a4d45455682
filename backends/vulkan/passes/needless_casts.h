// Finds the casts between FLOAT32 and fp16 that kernels need not wait for, because they read or write FLOAT32
// as well as fp16: those of a tensor that one node reads. Those of with_fp16() need not round; a client's own
// are left out only where their results stay the same. Lowering asks for each node in turn.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kNeedlessCasts = "needless_casts";  // in lists of passes

class NeedlessCasts {
 public:
  // False: kernels wait for all casts.
  NeedlessCasts(const Graph& graph, bool is_on);

  // Returns whether the node is not to be lowered for now, or not at all: its reader is asked first, or its
  // writer took its result.
  bool defer(const Node& node);

  // The FLOAT32 tensor that an fp16 one is, or was to be, cast from or to. Its cast is not to be lowered
  // then. `is_rounded`: as CommandSink takes it.
  std::optional<TensorId> float_input(TensorId fp16, bool is_rounded);
  std::optional<TensorId> float_output(TensorId fp16, bool is_rounded);

  // The deferred casts of these tensors that nobody took; they are so no more.
  std::vector<const Node*> needed_by(std::span<const TensorId> tensors);

 private:
  std::vector<const Node*> from_float_, to_float_;  // casts to and from each fp16 tensor; null: none of these
  std::vector<bool> is_of_pass_;                    // tensors that with_fp16() made
  std::set<TensorId> deferred_;                     // fp16 tensors
};

}  // namespace nnrt::vulkan
