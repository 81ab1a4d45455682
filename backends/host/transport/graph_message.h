// Graphs in messages. Their constants lie in stores, which both ends know by a number.
#pragma once

#include "core/base/byte_io.h"
#include "core/graph/graph.h"

#include <functional>

namespace nnrt::host {

struct ConstantPlace {
  uint64_t store = 0, offset = 0;
};

// The constants that the nodes of a graph read. Others do not cross.
std::vector<TensorId> constants_of(const Graph& graph);

// `places` are where the tensors of constants_of() lie.
void write_graph(ByteWriter& writer, const Graph& graph, std::span<const ConstantPlace> places);

// Checks it as one from anybody, and infers its shapes anew. `store` gives the bytes of a number, null where
// there is none.
Result<GraphPtr> read_graph(ByteReader& reader, const std::function<SharedBytes(uint64_t)>& store);

}  // namespace nnrt::host
