// Serializes graphs. Their constants are in stores, which both ends identify by number.
#pragma once

#include "core/base/byte_io.h"
#include "core/graph/graph.h"

#include <functional>

namespace nnrt::host {

struct ConstantPlace {
  uint64_t store = 0, offset = 0;  // kWithheld: the client keeps the constant
};
inline constexpr uint64_t kWithheld = 0;  // instead of a store

// The constants that nodes read. Others are not sent.
std::vector<TensorId> constants_of(const Graph& graph);

// Per tensor: whether it is a constant that may be withheld, because only a device that restores a model
// accesses it, and reads it first.
std::vector<bool> find_withholdable(const Graph& graph);

// `places`: where the constants of constants_of() are.
void write_graph(ByteWriter& writer, const Graph& graph, std::span<const ConstantPlace> places);

struct ConstantReads {
  std::function<SharedBytes(uint64_t)> store;  // the bytes of a store, or null if it does not exist
  // Deferred bytes in place of a withheld constant; not set: all must be in stores.
  std::function<SharedBytes(TensorId, size_t bytes)> withheld = nullptr;
};

// Validates the graph like any untrusted one, and infers its shapes again.
Result<GraphPtr> read_graph(ByteReader& reader, const ConstantReads& reads);

}  // namespace nnrt::host
