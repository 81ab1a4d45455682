#include "tools/import/onnx/call.h"

#include <map>

namespace nnrt::import::onnx {
namespace {

using Key = std::pair<std::string_view, std::string_view>;

std::map<Key, Row> all_rows() {
  std::map<Key, Row> all;
  for (auto* const family :
       {unary_rows, activation_rows, binary_rows, move_rows, part_rows, make_rows, reduce_rows, norm_rows,
        convolution_rows, pool_rows, product_rows, recurrent_rows, index_rows, resize_rows, quantized_rows}) {
    for (const Row& row : family()) all.emplace(Key(row.type, row.domain), row);
  }
  return all;
}

}  // namespace

const Row* find_row(std::string_view type, std::string_view domain) {
  static const std::map<Key, Row> rows = all_rows();
  const auto found = rows.find({type, domain == "ai.onnx" ? "" : domain});
  return found == rows.end() ? nullptr : &found->second;
}

}  // namespace nnrt::import::onnx
