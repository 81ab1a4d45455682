#include "backends/cpu/kernel.h"

#include "backends/cpu/families.h"
#include "backends/cpu/linear_kernels.h"

#include <array>

namespace nnrt::cpu {
namespace {

using Table = std::array<Kernel, size_t(kOpCount) + 1>;

Table gather() {
  Table table{};
  const auto add = [&table](std::span<const KernelRow> rows) {
    for (const KernelRow& row : rows) table[size_t(row.op)] = row.kernel;
  };
  add(unary_kernels());
  add(binary_kernels());
  add(comparison_kernels());
  add(affine_kernels());
  add(move_kernels());
  add(cast_kernels());
  add(make_kernels());
  add(index_kernels());
  add(special_kernels());
  add(linear_kernels());
  add(window_kernels());
  add(reduce_kernels());
  add(norm_kernels());
  return table;
}

}  // namespace

Kernel kernel(Op op) {
  static const Table table = gather();
  return table[size_t(op)];
}

Kernel keeper(Op op) {
  switch (op) {
    case Op::conv2d: return keep_conv2d;
    case Op::conv2d_transpose: return keep_conv2d_transpose;
    case Op::depthwise_conv2d_native: return keep_depthwise_conv2d;
    case Op::full_connection: return keep_full_connection;
    case Op::lstm: return keep_lstm;
    case Op::matmul: return keep_matmul;
    default: return nullptr;
  }
}

}  // namespace nnrt::cpu
