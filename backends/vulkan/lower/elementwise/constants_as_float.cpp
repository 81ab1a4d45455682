#include "backends/vulkan/lower/elementwise/constants_as_float.h"

#include "core/base/element_at.h"
#include "core/base/fp16.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

float real_of(const Tensor& tensor, const Quant& quant, size_t i, size_t inner) {
  const ByteView bytes = *tensor.data;
  if (tensor.dtype == DType::f16) return to_float(element_at<Half>(bytes, i));
  if (tensor.dtype == DType::f64) return float(element_at<double>(bytes, i));
  const int32_t value =
      tensor.dtype == DType::i8 ? element_at<int8_t>(bytes, i) : element_at<int32_t>(bytes, i);
  if (quant.empty()) return float(value);
  const size_t channel = i / inner % quant.scales.size();
  return float(quant.scales[channel] * (double(value) - quant.zero_points[channel]));
}

}  // namespace

std::shared_ptr<const Bytes> constant_as_float(const Tensor& tensor, const Quant& quant) {
  const size_t count = tensor.data->size() / size_of(tensor.dtype);
  const size_t inner = quant.scales.size() > 1 ? count / quant.scales.size() : 1;
  auto bytes = std::make_shared<Bytes>(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    const float real = real_of(tensor, quant, i, inner);
    std::memcpy(bytes->data() + i * sizeof(float), &real, sizeof(float));
  }
  return bytes;
}

void round_to_fp16(ByteView floats, std::byte* to) {
  for (size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    const Half half = to_half(element_at<float>(floats, i));
    std::memcpy(to + i * sizeof half, &half, sizeof half);
  }
}

Bytes floats_as_fp16(ByteView floats) {
  Bytes fp16(floats.size() / 2);
  round_to_fp16(floats, fp16.data());
  return fp16;
}

Packing packed_as_fp16(const Packing& floats) {
  if (!floats.has_parts()) return [floats] { return floats_as_fp16(*floats.all()); };
  return {floats.bytes() / 2, floats.unit() / 2, [floats](uint64_t offset, std::span<std::byte> to) {
            constexpr size_t kSmallBytes = size_t{1} << 20;
            const size_t unit = floats.unit(), step = std::max(kSmallBytes / unit, size_t{1}) * unit;
            Bytes some(std::min(step, 2 * to.size()));
            for (size_t done = 0; done < 2 * to.size(); done += step) {
              const std::span<std::byte> part = std::span(some).first(std::min(step, 2 * to.size() - done));
              floats.write(2 * offset + done, part);
              round_to_fp16(part, to.data() + done / 2);
            }
          }};
}

}  // namespace nnrt::vulkan
