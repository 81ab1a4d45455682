#include "backends/cpu/base/kernel.h"

#include "backends/cpu/base/kernel_families.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

using Table = OpTable<KernelRow>;

Table gather() {
  Table table{};
  const auto add = [&table](std::span<const KernelRow> rows) {
    for (const KernelRow& row : rows) table[row.op] = row;
  };
  add(unary_kernels());
  add(binary_kernels());
  add(comparison_kernels());
  add(affine_kernels());
  add(rotary_embedding_kernels());
  add(data_movement_kernels());
  add(cast_kernels());
  add(creation_kernels());
  add(index_kernels());
  add(element_index_kernels());
  add(special_kernels());
  add(box_kernels());
  add(lookup_kernels());
  add(quantized_lstm_kernels());
  add(convolution_kernels());
  add(conv3d_kernels());
  add(matmul_kernels());
  add(nbits_matmul_kernels());
  add(attention_kernels());
  add(lstm_kernels());
  add(recurrent_kernels());
  add(pooling_kernels());
  add(sampling_kernels());
  add(reduce_kernels());
  add(norm_kernels());
  return table;
}

const Table& table() {
  static const Table gathered = gather();
  return gathered;
}

}  // namespace

Kernel kernel(Op op) { return table()[op].kernel; }

Kernel prepack_kernel(Op op) { return table()[op].prepack_kernel; }

ChooseKernel chooser(Op op) { return table()[op].chooser; }

ReadsWeights reads_weights(Op op) { return table()[op].reads_weights; }

std::vector<std::string_view> implementation_names() {
  std::vector<std::string_view> names;
  for (const KernelRow& row : table()) {
    if (row.add_names != nullptr) row.add_names(names);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());  // clang 14 lacks std::ranges::unique
  return names;
}

std::vector<std::string_view> implementation_names(Op op) {
  std::vector<std::string_view> names;
  if (const KernelRow& row = table()[op]; row.add_names != nullptr) row.add_names(names);
  return names;
}

}  // namespace nnrt::cpu
