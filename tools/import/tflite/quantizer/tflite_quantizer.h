// Quantizes a float TensorFlow Lite model to INT8.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"

#include <memory>
#include <span>

namespace nnrt::import {

// See read_quantizer() for names and errors.
Result<std::unique_ptr<ModelQuantizer>> read_tflite_quantizer(const std::string& file,
                                                              const std::vector<std::string>& float_nodes);

// with_outputs() for TensorFlow Lite files.
Result<std::string> with_tflite_outputs(const std::string& file, std::span<const std::string> values);

}  // namespace nnrt::import
