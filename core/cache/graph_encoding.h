// Serialization of graphs in the cache body.
#pragma once

#include "core/base/byte_io.h"
#include "core/cache/block_checksum.h"
#include "core/cache/cache_header.h"
#include "core/graph/graph.h"

#include <optional>
#include <span>
#include <vector>

namespace nnrt {

template <>
inline constexpr auto kLast<DType> = DType::f64;
template <>
inline constexpr auto kLast<Format> = Format::nd;

// The zeros that pad a constant of this size.
ByteView constant_padding(uint64_t size);

// The constants of a graph in the order of the file: those of up to kSmallPart bytes, which are read
// together, then the others; each in tensor order.
std::vector<TensorId> constants_in_file(std::span<const Tensor> tensors,
                                        const std::vector<bool>& is_constant);
std::vector<TensorId> constants_in_file(std::span<const Tensor> tensors);

// Encodes the client's graph without the data of constants. Those are behind the body, each padded to
// a multiple of kCacheAlignment.
Bytes encode_graph(const Graph& graph);

// Writes the result of normalize(): its nodes, and the added tensors, also without data.
void write_lowered(ByteWriter& writer, const Graph& graph, const Graph& lowered);

// Readers only check bounds and enumerations; verify() does the rest. Constants have no data yet;
// `is_constant` marks them.
struct ReadGraph {
  Graph graph;
  std::vector<bool> is_constant;
};
ReadGraph read_graph(ByteReader& reader);
// Empty if it is the same as the client's. `is_constant` marks only added tensors.
std::optional<ReadGraph> read_lowered(ByteReader& reader, const Graph& graph);

// The table's entries for parts made of these pieces.
std::vector<StoredPart> stored_parts(std::span<const Pieces> parts);

// The constants among these tensors as they are stored, each padded with zeros to kCacheAlignment.
std::vector<StoredPart> stored_constants(std::span<const Tensor> tensors);

// The tensors that normalize() added.
std::span<const Tensor> added_tensors(const Graph& graph, const Graph& lowered);

// A checksum of the graph including its constants.
uint64_t identity(const Graph& graph);
uint64_t identity(ByteView encoded, std::span<const StoredPart> constants);

}  // namespace nnrt
