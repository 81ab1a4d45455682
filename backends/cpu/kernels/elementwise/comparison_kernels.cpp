// Comparison and logic operators with BOOL results.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/kernels/elementwise/binary_kernels.h"
#include "core/schema/rules.h"

#include <functional>

namespace nnrt::cpu {
namespace {

using Comparable = Types<Half, float, double, int8_t, uint8_t, int16_t, int32_t, int64_t, uint64_t, Bool>;

// Compares in the promoted dtype, or dequantized values (LESS). GREATER is LESS with swapped operands.
template <typename Relation>
Status compare_in(const KernelArgs& args, OperandOrder order) {
  if (!args.node.is_quantized())
    return promoted_loop<Bool>(args, Comparable{}, promoted(args.node), Relation{}, order);
  quantized_loop<Bool>(
      args, Relation{}, [](bool holds) { return narrow<Bool>(holds); }, order);
  return {};
}

template <typename Relation, OperandOrder order = OperandOrder::given>
Status compare(const KernelArgs& args) {
  return compare_in<Relation>(args, order);
}

// Uses EQUAL's loops. Negating in them would slow down EQUAL.
Status not_equal(const KernelArgs& args) {
  constexpr int64_t kGrain = int64_t{1} << 16;
  NNRT_TRY(compare<std::equal_to<>>(args));
  auto* const results = args.output<uint8_t>();
  args.pool.parallel_for(element_count(args.node.output_shape()).value_or(0), kGrain,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) results[i] = results[i] == 0 ? 1 : 0;
                         });
  return {};
}

template <typename Connective>
Status connect(const KernelArgs& args) {
  return promoted_loop<Bool>(args, Types<Bool>{}, DType::boolean, Connective{});
}

constexpr KernelRow kComparisonKernels[] = {
    {Op::equal, compare<std::equal_to<>>},
    {Op::greater, compare<std::less<>, OperandOrder::swapped>},
    {Op::greater_equal, compare<std::less_equal<>, OperandOrder::swapped>},
    {Op::less, compare<std::less<>>},
    {Op::less_equal, compare<std::less_equal<>>},
    {Op::logical_and, connect<std::logical_and<>>},
    {Op::logical_or, connect<std::logical_or<>>},
    {Op::not_equal, not_equal},
};

}  // namespace

std::span<const KernelRow> comparison_kernels() { return kComparisonKernels; }

}  // namespace nnrt::cpu
