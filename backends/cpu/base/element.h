// C++ element types and their conversion to float at a kernel's boundary, so that one float kernel serves
// FLOAT16, FLOAT32 and quantized INT8.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/graph/activation.h"
#include "core/graph/attrs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace nnrt::cpu {

using nnrt::dispatch_dtype;
using nnrt::narrow;
using nnrt::widen;

// The element types a kernel is instantiated for.
template <typename... Ts>
struct Types {};
using Fp16AndF32 = Types<Half, float>;
using Fp16F32F64 = Types<Half, float, double>;

// Calls f(std::type_identity<T>{}) if the dtype is one of Ts; otherwise returns an error.
template <typename... Ts, typename F>
Status dispatch_dtype(Types<Ts...>, DType dtype, F&& f) {
  const bool found = ((kDTypeOf<Ts> == dtype && (f(std::type_identity<Ts>{}), true)) || ...);
  if (!found) return unsupported("The CPU device does not compute in ", name(dtype), ".");
  return {};
}

template <typename T>
using PaddedInput = decltype(widen(T{}));

// Block size (in elements) for fp16 <-> float conversion.
inline constexpr int64_t kFp16Block = 256;
inline void widen_block(const Half* from, int64_t step, int64_t count, float* to) {
  if (step == 0) {
    std::fill_n(to, count, to_float(*from));
  } else if (step == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = to_float(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = to_float(from[i * step]);
  }
}

// Quantization of a tensor or a channel: float = scale * (value - zero_point).
struct Affine {
  double scale = 1.0;
  int32_t zero_point = 0;
  bool ties_to_even = false;  // otherwise ties round away from zero
};
inline Affine affine_of(const Quant& quant, size_t channel = 0) {
  return {quant.scales[channel], quant.zero_points[channel], quant.ties_to_even};
}
// Scale 1 and zero point 0 for a tensor without quantization parameters.
inline Affine affine_of(const Tensor& tensor) {
  return tensor.quant.empty() ? Affine{} : affine_of(tensor.quant, 0);
}

// Rounds to the nearest integer; the value must fit in 32 bits.
inline int32_t nearest(double value, bool ties_to_even) {
  constexpr double kToWhole = 6755399441055744.0;         // adding it rounds ties to even
  constexpr double kJustBelowHalf = 0.49999999999999994;  // 0.5 would round the largest double below 0.5 up
  if (ties_to_even) return int32_t(value + kToWhole - kToWhole);
  return int32_t(value + (value < 0 ? -kJustBelowHalf : kJustBelowHalf));
}

// Rounds a quotient (value / scale), adds the zero point and clamps to [low, high] of the type (R12). NaN
// maps to the lowest value.
template <typename Code>
Code quantize_quotient(double quotient, Affine affine) {
  constexpr double kFar = 1e9;  // beyond every quantized value for any zero point, and fits in 32 bits
  quotient = quotient > -kFar ? (quotient < kFar ? quotient : kFar) : -kFar;
  const int64_t code = int64_t(nearest(quotient, affine.ties_to_even)) + affine.zero_point;
  constexpr int64_t kLow = std::is_signed_v<Code> ? -128 : 0;
  return Code(code < kLow ? kLow : code > kLow + 255 ? kLow + 255 : code);
}

// With ties to even, the quotient is computed in FLOAT32, as in ONNX.
template <typename Code>
Code quantize(double real, Affine affine) {
  const double quotient = real / affine.scale;
  return quantize_quotient<Code>(affine.ties_to_even ? double(float(quotient)) : quotient, affine);
}

// FLOAT32 input: the quotient is computed in FLOAT32.
template <typename Code>
Code quantize_float(float real, Affine affine) {
  return quantize_quotient<Code>(float(real / affine.scale), affine);
}

inline double dequantize(int32_t code, Affine affine) {
  return affine.scale * double(int64_t(code) - affine.zero_point);
}

// The dequantized value of each of the 256 codes of an INT8 or UINT8 tensor, indexed by its byte.
using DequantizeTable = std::array<double, 256>;
DequantizeTable dequantize_table(const Tensor& tensor);

// Dequantizes data[0, count); integers without quantization parameters convert unchanged. Per-channel INT8
// has one scale per slice of dimension 0, so `data` must then cover the entire tensor.
void to_floats(const Tensor& tensor, const std::byte* data, std::span<float> values, ThreadPool& pool);
// The inverse, for FLOAT16, FLOAT32, FLOAT64, and per-tensor quantized (or plain) INT8 and UINT8.
void from_floats(const Tensor& tensor, std::span<const float> values, std::byte* data, ThreadPool& pool);

// An input as floats: borrowed if it is FLOAT32, otherwise converted into an owned buffer.
class FloatInput {
 public:
  FloatInput(const KernelArgs& args, size_t input);
  // The first `count` elements at `data`, with the dtype and quantization of `tensor`.
  FloatInput(const Tensor& tensor, const std::byte* data, int64_t count, ThreadPool& pool);
  FloatInput(const FloatInput&) = delete;
  FloatInput& operator=(const FloatInput&) = delete;

  const float* data() const { return values_.data(); }
  std::span<const float> values() const { return values_; }
  int64_t count() const { return int64_t(values_.size()); }
  float operator[](int64_t i) const { return values_[size_t(i)]; }

 private:
  std::vector<float> owned_;
  std::span<const float> values_;
};

// An output written as floats. FLOAT32 is written directly to the tensor; for other dtypes store() narrows or
// quantizes a temporary buffer. Contents are initially unspecified.
class FloatOutput {
 public:
  explicit FloatOutput(const KernelArgs& args, size_t output = 0);
  FloatOutput(const FloatOutput&) = delete;
  FloatOutput& operator=(const FloatOutput&) = delete;

  float* data() { return values_.data(); }
  std::span<float> values() { return values_; }
  int64_t count() const { return int64_t(values_.size()); }
  float& operator[](int64_t i) { return values_[size_t(i)]; }
  void store();

 private:
  const Tensor& tensor_;
  std::byte* data_;
  ThreadPool& pool_;
  std::vector<float> owned_;
  std::span<float> values_;
};

// R15, for floats and integers.
template <typename T>
T apply_activation(Activation activation, T x) {
  if (activation == Activation::none) return x;
  const T positive = x < T(0) ? T(0) : x;
  return activation == Activation::relu6 && positive > T(6) ? T(6) : positive;
}

}  // namespace nnrt::cpu
