#include "mindspore/lower/node_lowering.h"

#include <array>

namespace nnrt::mindspore {

const LoweringRow* find_lowering(PrimitiveType type) {
  static const auto table = [] {
    std::array<const LoweringRow*, kPrimitiveCount + 1> rows{};
    for (const std::span<const LoweringRow> family :
         {elementwise_lowerings(), activation_lowerings(), conv_lowerings(), matmul_lowerings(),
          pooling_lowerings(), normalization_lowerings(), reduction_lowerings(), shape_lowerings(),
          data_movement_lowerings(), slicing_lowerings(), index_lowerings(), creation_lowerings(),
          recurrent_lowerings(), detection_lowerings()})
      for (const LoweringRow& row : family) rows[size_t(row.type)] = &row;
    return rows;
  }();
  return table[size_t(type)];
}

}  // namespace nnrt::mindspore
