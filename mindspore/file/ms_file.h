// Reads .ms files: the schema "MSL2" of MindSpore Lite 1.1 to 2.7, and the one before without an identifier.
#pragma once

#include "mindspore/model/source_graph.h"

namespace nnrt::mindspore {

// Returns whether the bytes have the identifier "MSL2".
bool is_model_file(ByteView file);
// Files before 1.1 have no identifier; returns whether the root table has nodes and tensors.
bool is_old_model_file(ByteView file);

// The bytes may be hostile. `keep` is given parts of `file`. Nodes without an equivalent have a problem;
// everything else that a graph cannot express is an error: several subgraphs, obfuscation, encryption.
// Indices are in range.
Result<SourceGraph> read_model_file(ByteView file, const KeepBytes& keep);

// The same for a root table, MetaGraph.
Result<SourceGraph> read_root(const FlatBuffer& buffer, FlatTable root, bool is_old, const KeepBytes& keep);

// Has elements, in the file or in an external one.
inline bool is_constant(const SourceTensor& tensor) { return tensor.has_data() || tensor.packing.external; }

// Drops the nodes that no output depends on, as those that train, and checks that the others can run in
// order: each tensor is written once, before it is read.
Status drop_unread_nodes(SourceGraph& graph);

}  // namespace nnrt::mindspore
