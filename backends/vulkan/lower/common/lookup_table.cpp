#include "backends/vulkan/lower/common/lookup_table.h"

#include "core/base/rounding.h"

#include <algorithm>
#include <cmath>

namespace nnrt::vulkan {
namespace {

int code_of(uint8_t byte, DType dtype) { return dtype == DType::i8 ? int8_t(byte) : byte; }

}  // namespace

ByteFunction quantized(const Quant& from, const Quant& to, const ValueFunction& function) {
  return [=](uint8_t byte) {
    const double real = function(from.scales[0] * (int8_t(byte) - from.zero_points[0]));
    const double code = std::isnan(real) ? 0 : rounded_quotient(real / to.scales[0], to.ties_to_even);
    return uint8_t(int8_t(std::clamp(code + to.zero_points[0], -128.0, 127.0)));
  };
}

ByteFunction requantization(const Tensor& from, const Tensor& to) {
  return [&from, &to](uint8_t byte) {
    const double real = from.quant.scales[0] * (code_of(byte, from.dtype) - from.quant.zero_points[0]);
    const double code =
        rounded_quotient(real / to.quant.scales[0], to.quant.ties_to_even) + to.quant.zero_points[0];
    return to.dtype == DType::i8 ? uint8_t(int8_t(std::clamp(code, -128.0, 127.0)))
                                 : uint8_t(std::clamp(code, 0.0, 255.0));
  };
}

void add_lookup(const LoweringContext& context, Buffer x, Buffer y, uint32_t count, TensorId owner,
                std::string_view form, const ByteFunction& function) {
  const Buffer table = context.sink.packed(owner, form, [&] {
    Bytes bytes;
    for (int code = 0; code < 256; ++code) bytes.push_back(std::byte(function(uint8_t(code))));
    return bytes;
  });
  const uint32_t vectors = vectors_of(DType::i8, count);
  context.sink.add(Dispatch{.shader = "lookup",
                            .constants = {},
                            .push = Push(vectors),
                            .buffers = {x, table, y},
                            .threads = threads_for(vectors, context.plan),
                            .local = {kGroup, 1, 1}});
}

}  // namespace nnrt::vulkan
