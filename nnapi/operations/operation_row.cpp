#include "nnapi/operations/operation_row.h"

#include <vector>

namespace nnrt::nnapi {
namespace {

using Table = std::array<const OperationRow*, 106>;

Table make_table() {
  Table table{};
  for (const auto rows :
       {arithmetic_operations(), data_movement_operations(), gemm_conv_operations(), reduction_operations(),
        recurrent_operations(), detection_operations(), control_operations()}) {
    for (const OperationRow& row : rows) table[static_cast<size_t>(row.code)] = &row;
  }
  return table;
}

}  // namespace

const OperationRow* find_operation(int32_t code) {
  static const Table table = make_table();
  if (code < 0 || static_cast<size_t>(code) >= table.size()) return nullptr;
  return table[static_cast<size_t>(code)];
}

}  // namespace nnrt::nnapi
