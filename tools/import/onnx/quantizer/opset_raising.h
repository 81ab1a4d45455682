// Models of opsets 7 to 9 as models of opset 10.
#pragma once

#include "core/base/result.h"
#include "tools/import/onnx/messages/onnx_messages.h"

namespace nnrt::import::onnx {

// ONNX Runtime fuses quantized nodes into QLinearConv and its like, which opset 10 introduced, and refuses
// models of earlier opsets. Rewrites the operators that changed, and returns the opset of the model.
Result<int64_t> raised_opset(onnx_file::ModelProto& model, int64_t opset);

}  // namespace nnrt::import::onnx
