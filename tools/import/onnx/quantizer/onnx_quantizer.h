// Turns an ONNX model of floats into one of INT8, in ONNX's form QDQ.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"

#include <filesystem>
#include <memory>
#include <span>

namespace nnrt::import {

// read_quantizer() says what the names are and what fails. `folder` has what the file keeps outside of it.
Result<std::unique_ptr<ModelQuantizer>> read_onnx_quantizer(const std::string& file,
                                                            const std::filesystem::path& folder,
                                                            const std::vector<std::string>& float_nodes);

// with_outputs() of an ONNX file.
Result<std::string> with_onnx_outputs(const std::string& onnx, std::span<const std::string> values);

}  // namespace nnrt::import
