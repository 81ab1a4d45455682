// Models of one node, drawn from bytes: the operator, its attributes, and the rank, shape and dtype of each
// operand, which may also be missing, constant or given twice.
#pragma once

#include "mindspore/model/source_graph.h"
#include "tests/fuzz/choices.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <cstdint>
#include <vector>

namespace nnrt::test {

onnx_file::ModelProto draft_onnx(Choices& choices);
std::vector<uint8_t> draft_tflite(Choices& choices);
mindspore::SourceGraph draft_mindspore(Choices& choices);

}  // namespace nnrt::test
