// Comparison and logic operators with BOOL results.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/kernels/elementwise/binary_kernels.h"
#include "core/schema/rules.h"

#include <functional>

namespace nnrt::cpu {
namespace {

using Comparable = Types<Half, float, double, int8_t, uint8_t, int16_t, int32_t, int64_t, Bool>;

// Relations that are the same with swapped operands, or negated, share their loops.
struct Variant {
  bool swapped = false, negated = false;
};

// Compares in the promoted dtype, or dequantized values (LESS).
template <typename Relation>
Status compare_as(const KernelArgs& args, Variant variant) {
  const auto holds = [variant](auto a, auto b) { return Relation{}(a, b) != variant.negated; };
  const OperandOrder order = variant.swapped ? OperandOrder::swapped : OperandOrder::given;
  if (!args.node.is_quantized())
    return promoted_loop<Bool>(args, Comparable{}, promoted(args.node), holds, order);
  quantized_loop<Bool>(
      args, holds, [](bool value) { return narrow<Bool>(value); }, order);
  return {};
}

template <typename Relation, bool swapped = false, bool negated = false>
Status compare(const KernelArgs& args) {
  return compare_as<Relation>(args, {swapped, negated});
}

template <typename Connective>
Status connect(const KernelArgs& args) {
  return promoted_loop<Bool>(args, Types<Bool>{}, DType::boolean, Connective{});
}

constexpr KernelRow kComparisonKernels[] = {
    {Op::equal, compare<std::equal_to<>>},
    {Op::greater, compare<std::less<>, true>},
    {Op::greater_equal, compare<std::less_equal<>, true>},
    {Op::less, compare<std::less<>>},
    {Op::less_equal, compare<std::less_equal<>>},
    {Op::logical_and, connect<std::logical_and<>>},
    {Op::logical_or, connect<std::logical_or<>>},
    {Op::not_equal, compare<std::equal_to<>, false, true>},
};

}  // namespace

std::span<const KernelRow> comparison_kernels() { return kComparisonKernels; }

}  // namespace nnrt::cpu
