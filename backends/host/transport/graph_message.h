// Serializes graphs. Their constants are in stores, which both ends identify by number.
#pragma once

#include "core/base/byte_io.h"
#include "core/graph/graph.h"

#include <functional>

namespace nnrt::host {

struct ConstantPlace {
  uint64_t store = 0, offset = 0;
};

// The constants that nodes read. Others are not sent.
std::vector<TensorId> constants_of(const Graph& graph);

// `places`: where the constants of constants_of() are.
void write_graph(ByteWriter& writer, const Graph& graph, std::span<const ConstantPlace> places);

// Validates the graph like any untrusted one, and infers its shapes again. `store` returns the bytes of a
// store, or null if it does not exist.
Result<GraphPtr> read_graph(ByteReader& reader, const std::function<SharedBytes(uint64_t)>& store);

}  // namespace nnrt::host
