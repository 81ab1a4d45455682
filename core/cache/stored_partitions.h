// The partitions of a stored model: which device runs which nodes, and the devices' data.
#pragma once

#include "core/base/byte_io.h"
#include "core/graph/subgraph.h"
#include "core/runtime/compile.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt {

struct StoredPartition {
  size_t device = 0;  // index among the stored devices
  std::vector<NodeId> nodes;
  std::string key;   // Device::cache_key() when it was stored
  SharedBytes made;  // PreparedModel::export_cache(); may be deferred
};

// `made` are the devices' data. invalid_file unless every node is in exactly one partition, and none reads
// the output of a later one.
Result<std::vector<StoredPartition>> read_partitions(ByteReader& reader, std::span<const SharedBytes> made,
                                                     const Graph& graph, size_t device_count);

// Restores a partition, or prepares it again and sets `renewed` if the device's key differs or it rejects its
// data. `fallback` is used if the device runs out of memory; may be null.
Result<CompiledModel::Partition> make_ready(const StoredPartition& stored, Subgraphs& graph, Device& device,
                                            Device* fallback, const CompileOptions& options, bool& renewed);

}  // namespace nnrt
