// Turns a TensorFlow Lite model of floats into one of INT8.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"

#include <memory>
#include <span>

namespace nnrt::import {

// read_quantizer() says what the names are and what fails.
Result<std::unique_ptr<ModelQuantizer>> read_tflite_quantizer(const std::string& file,
                                                              const std::vector<std::string>& float_nodes);

// with_outputs() of a TensorFlow Lite file.
Result<std::string> with_tflite_outputs(const std::string& file, std::span<const std::string> values);

}  // namespace nnrt::import
