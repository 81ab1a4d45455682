#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {

List<std::span<const Row>> all_rows() {
  return {elementwise_rows(),   convert_rows(),   gemm_conv_rows(), pooling_rows(),  reduce_rows(),
          data_movement_rows(), slice_rows(),     index_rows(),     creation_rows(), complex_rows(),
          control_flow_rows(),  detection_rows(), mediapipe_rows(), recurrent_rows()};
}

const Row* find_row(int32_t code, std::string_view custom_name) {
  for (const std::span<const Row> family : all_rows()) {
    const auto found = std::ranges::find_if(family, [&](const Row& row) {
      return row.convert != nullptr && int32_t(row.code) == code &&
             (row.code != BuiltinOperator::CUSTOM || row.custom_name == custom_name);
    });
    if (found != family.end()) return &*found;
  }
  return nullptr;
}

std::string operator_name(int32_t code, std::string_view custom_name) {
  constexpr size_t kMaxCharacters = 64;
  if (code == int32_t(BuiltinOperator::CUSTOM))
    return "custom " + std::string(custom_name.substr(0, kMaxCharacters));
  if (code >= 0 && code <= int32_t(BuiltinOperator::MAX))
    return format::EnumNameBuiltinOperator(BuiltinOperator(code));
  return "operator code " + std::to_string(code);
}

}  // namespace nnrt::import::tflite
