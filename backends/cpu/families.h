// The kernels, by family: one file each; kernel.cpp gathers them.
#pragma once

#include "backends/cpu/kernel.h"

#include <span>

namespace nnrt::cpu {

struct KernelRow {
  Op op{};
  Kernel kernel = nullptr;
};

std::span<const KernelRow> unary_kernels();
std::span<const KernelRow> binary_kernels();
std::span<const KernelRow> comparison_kernels();
std::span<const KernelRow> affine_kernels();
std::span<const KernelRow> move_kernels();
std::span<const KernelRow> reduce_kernels();
std::span<const KernelRow> norm_kernels();
std::span<const KernelRow> linear_kernels();
std::span<const KernelRow> window_kernels();
std::span<const KernelRow> index_kernels();
std::span<const KernelRow> make_kernels();
std::span<const KernelRow> cast_kernels();
std::span<const KernelRow> special_kernels();

}  // namespace nnrt::cpu
