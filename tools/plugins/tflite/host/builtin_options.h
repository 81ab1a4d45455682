// The options of builtin operators: from the interpreter's structures to those of the file format.
#pragma once

#include "tools/plugins/tflite/host_graph.h"

namespace nnrt::tflite_plugin {

// `data`: TfLiteNode::builtin_data, whose type depends on node.code. As the interpreter's kernels do, reads
// all members that its structures have had since TensorFlow Lite 2.9, whatever the operator's version is;
// later members only if the version implies them.
void read_builtin_options(const void* data, int version, HostNode& node);

}  // namespace nnrt::tflite_plugin
