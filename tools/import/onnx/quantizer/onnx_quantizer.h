// Turns an ONNX model of floats into one of INT8, in ONNX's form QDQ.
#pragma once

#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/quantizer/model_quantizer.h"

#include <memory>
#include <span>

namespace nnrt::import {

// read_quantizer() says what the names are and what fails. `folders` have its external data.
Result<std::unique_ptr<ModelQuantizer>> read_onnx_quantizer(const std::string& file,
                                                            const onnx::DataFolders& folders,
                                                            const std::vector<std::string>& float_nodes);

// with_outputs() of an ONNX file.
Result<std::string> with_onnx_outputs(const std::string& onnx, std::span<const std::string> values);

}  // namespace nnrt::import
