// Graphs in the body of a cache.
#pragma once

#include "core/base/byte_io.h"
#include "core/graph/graph.h"

#include <optional>
#include <vector>

namespace nnrt {

// Encodes what the client composed, without the data of constants: these are in the last part of the file, in
// the order of the tensors, each aligned to kCacheAlignment.
Bytes encode_graph(const Graph& graph);

// Writes the result of normalize(): the nodes, and the tensors that it added with their data.
void write_lowered(ByteWriter& writer, const Graph& graph, const Graph& lowered);

// Readers check that bytes are there and that enumerations are in range; verify() sees to the rest.
// A constant has no data yet: `is_constant` says which are.
struct ReadGraph {
  Graph graph;
  std::vector<bool> is_constant;
};
ReadGraph read_graph(ByteReader& reader);
// Nothing: the same as the client's.
std::optional<Graph> read_lowered(ByteReader& reader, const Graph& graph);

// A checksum of the graph and its constants: another model has another.
uint64_t identity(const Graph& graph);
uint64_t identity(ByteView encoded, const Graph& graph);

}  // namespace nnrt
