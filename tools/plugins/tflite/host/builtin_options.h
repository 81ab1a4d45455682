// The options of builtin operators: from the interpreter's structures to those of the file format.
#pragma once

#include "tools/plugins/tflite/host_graph.h"

namespace nnrt::tflite_plugin {

// `data`: TfLiteNode::builtin_data, whose type depends on node.code. Members that the operator's version does
// not have are not read: the structure of an older interpreter lacks them.
void read_builtin_options(const void* data, int version, HostNode& node);

}  // namespace nnrt::tflite_plugin
