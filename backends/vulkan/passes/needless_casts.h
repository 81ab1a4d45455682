// Elides CASTs between FLOAT32 and fp16 of tensors with a single reader, if the kernel on the other side
// reads or writes both. CASTs from with_fp16() need not round; a client's own CASTs are elided only if the
// results do not change. Lowering visits each node in turn.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kNeedlessCasts = "needless_casts";  // name in lists of passes

class NeedlessCasts {
 public:
  // If `is_on` is false, nothing is elided.
  NeedlessCasts(const Graph& graph, bool is_on);

  // Returns whether to skip lowering the node: its reader may elide it, or its writer already did.
  bool defer(const Node& node);

  // The FLOAT32 tensor on the other side of an fp16 tensor's CAST, which is then elided. `is_rounded`: as in
  // CommandSink.
  std::optional<TensorId> float_input(TensorId fp16, bool is_rounded);
  std::optional<TensorId> float_output(TensorId fp16, bool is_rounded);

  // Returns the deferred CASTs of these tensors that were not elided, and undefers them.
  std::vector<const Node*> needed_by(std::span<const TensorId> tensors);

 private:
  std::vector<const Node*> from_float_, to_float_;  // per fp16 tensor, the CAST to and from it, or null
  std::vector<bool> is_of_pass_;                    // created by with_fp16()
  std::set<TensorId> deferred_;                     // fp16 tensors
};

}  // namespace nnrt::vulkan
