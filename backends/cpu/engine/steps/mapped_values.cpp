#include "backends/cpu/engine/steps/mapped_values.h"

#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/engine/steps/dynamic_ranges.h"
#include "backends/cpu/engine/steps/rounding_steps.h"

namespace nnrt::cpu {
namespace {

template <typename T>
T& number_at(const RunContext& context, TensorId id) {
  return *reinterpret_cast<T*>(const_cast<std::byte*>(context.values[id]));
}

// Writes the scale and the zero point, which are placed.
void find_range(const Program::Quantization& of, int64_t count, const RunContext& context, ThreadPool& pool) {
  const DynamicRange range = range_of(reinterpret_cast<const float*>(context.values[of.source]), count, pool);
  number_at<float>(context, of.divisor) = range.scale;
  number_at<float>(context, of.addend) = range.zero_point;
  const auto code = saturate<uint8_t>(range.zero_point);
  for (const auto& [tensor, is_byte, minus] : of.zero_points) {
    if (is_byte) {
      number_at<uint8_t>(context, tensor) = code;
    } else {
      number_at<int32_t>(context, tensor) = subtract(int32_t{code}, minus);
    }
  }
}

}  // namespace

void map_values(const Program::Step& step, const Node& node, const RunContext& context, ThreadPool& pool) {
  constexpr int64_t kByteGrain = 1 << 16, kFloatGrain = 1 << 14;
  const int64_t count = element_count(context.shapes[node.outputs[0]]).value_or(0);
  const auto floats = [&](TensorId id) { return reinterpret_cast<const float*>(context.values[id]); };
  auto* const bytes = reinterpret_cast<uint8_t*>(context.out[0]);
  if (step.table) {
    const auto* const from = reinterpret_cast<const uint8_t*>(context.values[step.table->source]);
    pool.parallel_for(count, kByteGrain, [&](int64_t begin, int64_t end) {
      map_bytes(step.table->values, from + begin, bytes + begin, end - begin);
    });
  } else if (step.rounded) {
    const float* const from = floats(*step.rounded);
    auto* const to = reinterpret_cast<float*>(context.out[0]);
    pool.parallel_for(count, kFloatGrain, [&](int64_t begin, int64_t end) {
      round_half_even(from + begin, to + begin, end - begin);
    });
  } else {
    const Program::Quantization& of = *step.quantized;
    if (of.finds_range) find_range(of, count, context, pool);
    const float *const from = floats(of.source), divisor = *floats(of.divisor), addend = *floats(of.addend);
    const uint8_t flips = of.is_signed ? 128 : 0;
    pool.parallel_for(count, kFloatGrain, [=](int64_t begin, int64_t end) {
      quantize_half_even(from + begin, divisor, addend, bytes + begin, end - begin, flips);
    });
  }
}

}  // namespace nnrt::cpu
