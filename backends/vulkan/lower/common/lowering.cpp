#include "backends/vulkan/lower/common/lowering.h"

#include "backends/vulkan/lower/common/lowering_families.h"

namespace nnrt::vulkan {
namespace {

using Table = std::array<const Lowering*, kOpCount + 1>;

Table make_table() {
  Table table{};
  for (const auto family :
       {unary_lowerings(), binary_lowerings(), affine_lowerings(), data_movement_lowerings(),
        cast_lowerings(), gemm_conv_lowerings(), pooling_lowerings(), reduce_lowerings(), norm_lowerings(),
        index_lowerings(), creation_lowerings()}) {
    for (const LoweringRow& row : family) table[size_t(row.op)] = &row.lowering;
  }
  return table;
}

}  // namespace

const Lowering* lowering(Op op) {
  static const Table table = make_table();
  return table[size_t(op)];
}

}  // namespace nnrt::vulkan
