#include "backends/cpu/kernel.h"

#include "backends/cpu/families.h"

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

}  // namespace nnrt::cpu
