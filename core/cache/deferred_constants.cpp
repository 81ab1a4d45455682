#include "core/cache/deferred_constants.h"

#include "core/cache/cache_header.h"
#include "core/memory/deferred_bytes.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt {

std::vector<bool> find_deferrable(const Graph& graph, const std::vector<bool>& is_constant,
                                  size_t small_bytes) {
  std::vector<bool> deferrable(graph.tensors.size(), false);
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const Tensor& tensor = graph.tensors[id];
    const size_t bytes = byte_size(tensor.dtype, tensor.shape).value_or(0);
    const bool is_index = tensor.dtype == DType::i32 || tensor.dtype == DType::i64;  // kept by drop_weights()
    deferrable[id] = is_constant[id] && tensor.role == 0 && !is_index && bytes > small_bytes;
  }
  for (const Node& node : graph.nodes) {
    const std::vector<InputRow>& rows = schema(node.op).inputs;
    for (size_t i = 0; i < node.inputs.size() && !rows.empty(); ++i) {
      const TensorId id = node.inputs[i];
      if (id < deferrable.size() && rows[std::min(i, rows.size() - 1)].value) deferrable[id] = false;
    }
  }
  return deferrable;
}

SharedBytes deferred_constant(const std::shared_ptr<const ByteSource>& source, const VerifiedPart& part,
                              size_t bytes) {
  return deferred_bytes(part.bytes, bytes, [source, part](std::span<std::byte> to) -> Status {
    const VerifiedRead read{part, to};
    auto damaged = read_verified(*source, {&read, 1});
    if (!damaged.ok()) return std::move(damaged).error().during("reading a part of a cache");
    if (damaged.value().empty()) return {};
    return nnrt::damaged("The checksum of a part is wrong. While reading a cache.");
  });
}

}  // namespace nnrt
