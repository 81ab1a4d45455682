// EPContext nodes: compiled models inside an ONNX file.
#pragma once

#include "tools/plugins/onnxruntime/ep/execution_provider.h"

namespace nnrt::ep {

// Whether this provider made the node.
bool is_context(const onnx_file::NodeProto& node);

// The compiled model, from the node or from the file that it names.
Result<Bytes> model_of_context(const onnx_file::NodeProto& node, const OrtGraph* graph);

Result<Released<OrtNode>> make_context_node(const plugins::CompiledNetwork& model, const OrtGraph* graph,
                                            const OrtNode* fused, const ContextModels& contexts);

}  // namespace nnrt::ep
