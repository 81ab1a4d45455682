// Kernel tables by family, one file each; kernel.cpp combines them.
#pragma once

#include "backends/cpu/base/kernel.h"

#include <span>

namespace nnrt::cpu {

struct KernelRow {
  Op op{};
  Kernel kernel = nullptr;
  Kernel prepack_kernel = nullptr;
  ChooseKernel chooser = nullptr;
  void (*add_names)(std::vector<std::string_view>& names) = nullptr;  // appends the implementation names
  ReadsWeights reads_weights = nullptr;
};

std::span<const KernelRow> unary_kernels();
std::span<const KernelRow> binary_kernels();
std::span<const KernelRow> comparison_kernels();
std::span<const KernelRow> affine_kernels();
std::span<const KernelRow> rotary_embedding_kernels();
std::span<const KernelRow> data_movement_kernels();
std::span<const KernelRow> reduce_kernels();
std::span<const KernelRow> norm_kernels();
std::span<const KernelRow> convolution_kernels();
std::span<const KernelRow> conv3d_kernels();
std::span<const KernelRow> matmul_kernels();
std::span<const KernelRow> nbits_matmul_kernels();
std::span<const KernelRow> attention_kernels();
std::span<const KernelRow> lstm_kernels();
std::span<const KernelRow> recurrent_kernels();
std::span<const KernelRow> pooling_kernels();
std::span<const KernelRow> sampling_kernels();
std::span<const KernelRow> index_kernels();
std::span<const KernelRow> element_index_kernels();
std::span<const KernelRow> creation_kernels();
std::span<const KernelRow> cast_kernels();
std::span<const KernelRow> special_kernels();
std::span<const KernelRow> box_kernels();
std::span<const KernelRow> lookup_kernels();
std::span<const KernelRow> quantized_lstm_kernels();

}  // namespace nnrt::cpu
