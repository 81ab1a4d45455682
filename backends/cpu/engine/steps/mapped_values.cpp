#include "backends/cpu/engine/steps/mapped_values.h"

#include "backends/cpu/engine/steps/rounding_steps.h"

namespace nnrt::cpu {

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
    const float *const from = floats(of.source), divisor = *floats(of.divisor), addend = *floats(of.addend);
    const uint8_t flips = of.is_signed ? 128 : 0;
    pool.parallel_for(count, kFloatGrain, [=](int64_t begin, int64_t end) {
      quantize_half_even(from + begin, divisor, addend, bytes + begin, end - begin, flips);
    });
  }
}

}  // namespace nnrt::cpu
