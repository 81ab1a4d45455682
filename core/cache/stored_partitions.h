// The steps of a stored plan: which nodes run where, and what the devices made of them.
#pragma once

#include "core/base/byte_io.h"
#include "core/graph/subgraph.h"
#include "core/runtime/compile.h"

#include <string>
#include <vector>

namespace nnrt {

struct StoredPartition {
  size_t device = 0;  // index among the stored devices
  std::vector<NodeId> nodes;
  std::string key;   // Device::cache_key() when it was made
  SharedBytes made;  // PreparedModel::export_cache()
};

// invalid_file unless every node is in one step, and none reads what a later one writes.
Result<std::vector<StoredPartition>> read_partitions(ByteReader& reader, const SharedBytes& body,
                                                     const Graph& graph, size_t device_count);

// Restored by the device, or prepared anew if it has another key or rejects what it made; `renewed` is set
// then.
// `fallback` stands in where the device has no memory for a run; may be null.
Result<CompiledModel::Partition> make_ready(const StoredPartition& stored, Subgraphs& graph, Device& device,
                                            Device* fallback, const CompileOptions& options, bool& renewed);

}  // namespace nnrt
