#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {
namespace {

std::map<RowKey, Row> gathered() {
  std::map<RowKey, Row> all;
  for (auto* const family :
       {unary_rows,     activation_rows,      binary_rows,         data_movement_rows, concat_slice_rows,
        creation_rows,  reduce_rows,          norm_rows,           convolution_rows,   pool_rows,
        matmul_rows,    recurrent_rows,       index_rows,          element_index_rows, resize_rows,
        sampling_rows,  quantized_rows,       control_flow_rows,   einsum_rows,        choice_rows,
        signal_rows,    trigonometry_rows,    attention_rows,      fused_rows,         group_query_rows,
        skip_norm_rows, block_quantized_rows, integer_matmul_rows, sequence_rows,      state_rows}) {
    for (const Row& row : family()) all.emplace(RowKey(row.type, row.domain), row);
  }
  return all;
}

}  // namespace

const std::map<RowKey, Row>& all_rows() {
  static const std::map<RowKey, Row> rows = gathered();
  return rows;
}

const Row* find_row(std::string_view type, std::string_view domain) {
  const auto found = all_rows().find({type, domain == "ai.onnx" ? "" : domain});
  return found == all_rows().end() ? nullptr : &found->second;
}

}  // namespace nnrt::import::onnx
