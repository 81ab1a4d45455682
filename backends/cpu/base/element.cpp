#include "backends/cpu/base/element.h"

#include "backends/cpu/base/quantize_floats.h"
#include "core/base/check.h"

#include <algorithm>
#include <memory>

namespace nnrt::cpu {
namespace {

constexpr int64_t kGrain = 16384;

template <typename T>
void widen_all(const T* from, std::span<float> to, ThreadPool& pool) {
  pool.parallel_for(int64_t(to.size()), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[size_t(i)] = float(widen(from[i]));
  });
}

template <typename Code>
void dequantize_all(const Quant& quant, const Code* from, std::span<float> to, ThreadPool& pool) {
  const size_t channels = std::max<size_t>(quant.scales.size(), 1);
  const int64_t slice = int64_t(to.size() / channels);
  for (size_t channel = 0; channel < channels; ++channel) {
    const Affine affine = affine_of(quant, channel);
    float* target = to.data() + int64_t(channel) * slice;
    const Code* source = from + int64_t(channel) * slice;
    pool.parallel_for(slice, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) target[i] = float(dequantize(source[i], affine));
    });
  }
}

template <typename T, typename Narrow>
void narrow_all(std::span<const float> from, std::byte* to, ThreadPool& pool, Narrow narrow) {
  T* target = reinterpret_cast<T*>(to);
  pool.parallel_for(int64_t(from.size()), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) target[i] = narrow(from[size_t(i)]);
  });
}

template <typename Code>
void quantize_all(std::span<const float> from, std::byte* to, ThreadPool& pool, Affine affine) {
  pool.parallel_for(int64_t(from.size()), kGrain, [&](int64_t begin, int64_t end) {
    quantize_floats(from.data() + begin, reinterpret_cast<Code*>(to) + begin, end - begin, affine);
  });
}

std::span<float> resized(std::vector<float>& values, size_t count) {
  values.resize(count);
  return values;
}

int64_t count_of(const Shape& shape) { return element_count(shape).value_or(0); }

}  // namespace

DequantizeTable dequantize_table(const Tensor& tensor) {
  const Affine affine = affine_of(tensor);
  DequantizeTable table{};
  for (int byte = 0; byte < 256; ++byte) {
    const int32_t code = tensor.dtype == DType::i8 ? int32_t(int8_t(byte)) : byte;
    table[size_t(byte)] = dequantize(code, affine);
  }
  return table;
}

void to_floats(const Tensor& tensor, const std::byte* data, std::span<float> values, ThreadPool& pool) {
  dispatch_dtype(tensor.dtype, [&]<typename T>(std::type_identity<T>) {
    const T* from = reinterpret_cast<const T*>(data);
    if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
      if (!tensor.quant.empty()) return dequantize_all(tensor.quant, from, values, pool);
    }
    widen_all(from, values, pool);
  });
}

void from_floats(const Tensor& tensor, std::span<const float> values, std::byte* data, ThreadPool& pool) {
  const Affine affine = affine_of(tensor);
  switch (tensor.dtype) {
    case DType::f16: return narrow_all<Half>(values, data, pool, [](float x) { return to_half(x); });
    case DType::f32: return narrow_all<float>(values, data, pool, [](float x) { return x; });
    case DType::f64: return narrow_all<double>(values, data, pool, [](float x) { return double(x); });
    case DType::i8: return quantize_all<int8_t>(values, data, pool, affine);
    case DType::u8: return quantize_all<uint8_t>(values, data, pool, affine);
    default: NNRT_CHECK(false, "Floats are stored as floating types or as quantized integers.");
  }
}

FloatInput::FloatInput(const KernelArgs& args, size_t input)
    : FloatInput(args.node.input(input), args.in[input], count_of(args.node.shape(input)), args.pool) {}

FloatInput::FloatInput(const Tensor& tensor, const std::byte* data, int64_t count, ThreadPool& pool) {
  if (tensor.dtype == DType::f32) {
    values_ = {reinterpret_cast<const float*>(data), size_t(count)};
    return;
  }
  const std::span<float> widened = resized(owned_, size_t(count));
  to_floats(tensor, data, widened, pool);
  values_ = widened;
}

FloatOutput::FloatOutput(const KernelArgs& args, size_t output)
    : tensor_(args.node.output(output)), data_(args.out[output]), pool_(args.pool) {
  const size_t count = size_t(count_of(args.node.output_shape(output)));
  if (tensor_.dtype == DType::f32) {
    values_ = {reinterpret_cast<float*>(data_), count};
  } else {
    values_ = resized(owned_, count);
  }
}

void FloatOutput::store() {
  if (!owned_.empty()) from_floats(tensor_, values_, data_, pool_);
}

}  // namespace nnrt::cpu
