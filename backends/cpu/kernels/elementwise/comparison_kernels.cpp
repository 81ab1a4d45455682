// Comparison and logic operators with BOOL results.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/kernels/elementwise/binary_kernels.h"
#include "core/schema/rules.h"

#include <functional>

namespace nnrt::cpu {
namespace {

using Comparable = Types<Half, float, double, int8_t, uint8_t, int16_t, int32_t, int64_t, Bool>;

// Compares in the promoted dtype, or dequantized values (LESS).
template <typename Relation>
Status compare(const KernelArgs& args) {
  if (!args.node.is_quantized()) {
    return promoted_loop<Bool>(args, Comparable{}, promoted(args.node), Relation{});
  }
  quantized_loop<Bool>(args, Relation{}, [](bool holds) { return narrow<Bool>(holds); });
  return {};
}

template <typename Connective>
Status connect(const KernelArgs& args) {
  return promoted_loop<Bool>(args, Types<Bool>{}, DType::boolean, Connective{});
}

constexpr KernelRow kComparisonKernels[] = {
    {Op::equal, compare<std::equal_to<>>},
    {Op::greater, compare<std::greater<>>},
    {Op::greater_equal, compare<std::greater_equal<>>},
    {Op::less, compare<std::less<>>},
    {Op::less_equal, compare<std::less_equal<>>},
    {Op::logical_and, connect<std::logical_and<>>},
    {Op::logical_or, connect<std::logical_or<>>},
    {Op::not_equal, compare<std::not_equal_to<>>},
};

}  // namespace

std::span<const KernelRow> comparison_kernels() { return kComparisonKernels; }

}  // namespace nnrt::cpu
