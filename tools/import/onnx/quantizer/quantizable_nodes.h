// Describes an ONNX model to the quantizer.
#pragma once

#include "tools/import/onnx/quantizer/prepared_graph.h"
#include "tools/import/quantizer/quantizable_model.h"

namespace nnrt::import::onnx {

FloatGraph float_graph(const PreparedGraph& graph);

}  // namespace nnrt::import::onnx
