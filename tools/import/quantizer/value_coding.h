// Scales, zero points and quantized values of INT8 activations, weights and biases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nnrt::import {

// FLOAT32 elements with their shape.
struct FloatConstant {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

// float = scale * (value - zero_point)
struct Int8Coding {
  float scale = 1;
  int8_t zero_point = 0;

  bool operator==(const Int8Coding&) const = default;
};

// Of results in [0, 1], such as SOFTMAX's, and in [-1, 1], such as TANH's.
inline constexpr Int8Coding kFractions{1.0f / 256, -128}, kSignedFractions{1.0f / 128, 0};

// 0 is always represented exactly.
Int8Coding coding_of(double low, double high);
// From the range of the values.
Int8Coding coding_of(const std::vector<float>& values);

struct CodedConstant {
  std::vector<int8_t> values;
  std::vector<float> scales;  // one, or one per element of the channel dimension
};

// Symmetric around 0; `axis` is the channel dimension. Scales are large enough that each channel's bias fits
// in INT32 in units of `input_scale` times the scale.
CodedConstant coded_weights(const FloatConstant& weights, std::optional<size_t> axis,
                            const std::vector<float>& bias, float input_scale);

// In units of `input_scale` times the channel's scale.
std::vector<int32_t> coded_bias(const std::vector<float>& bias, const std::vector<float>& scales,
                                float input_scale);

// All elements in one range.
std::vector<int8_t> coded_values(const std::vector<float>& values, const Int8Coding& coding);

}  // namespace nnrt::import
