// Quantizes a float ONNX model to INT8 in QDQ form.
#pragma once

#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/quantizer/model_quantizer.h"

#include <memory>

namespace nnrt::import {

// See read_quantizer() for names and errors. `folders` hold external data.
Result<std::unique_ptr<ModelQuantizer>> read_onnx_quantizer(const std::string& file,
                                                            const onnx::DataFolders& folders,
                                                            const std::vector<std::string>& float_nodes);

}  // namespace nnrt::import
