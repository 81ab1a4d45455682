// Supported TensorFlow Lite operators, by family.
#pragma once

#include "tools/import/tflite/tflite_operator.h"

#include <span>

namespace nnrt::import::tflite {

std::span<const Row> elementwise_rows();
std::span<const Row> convert_rows();
std::span<const Row> gemm_conv_rows();
std::span<const Row> pooling_rows();
std::span<const Row> reduce_rows();
std::span<const Row> data_movement_rows();
std::span<const Row> slice_rows();
std::span<const Row> index_rows();
std::span<const Row> creation_rows();
// Operators composed of several operations, in `formulas`.
std::span<const Row> complex_rows();
std::span<const Row> control_flow_rows();
std::span<const Row> detection_rows();
std::span<const Row> mediapipe_rows();
// Operators that keep state between runs.
std::span<const Row> recurrent_rows();

List<std::span<const Row>> all_rows();
// The row of a builtin operator by number, or of a custom one by name; null if not supported.
const Row* find_row(int32_t code, std::string_view custom_name);
// "CONV_2D", "TFLite_Detection_PostProcess", "operator code 250"
std::string operator_name(int32_t code, std::string_view custom_name);

}  // namespace nnrt::import::tflite
