// Scales, zero points and quantized values of INT8 activations, weights and biases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nnrt::import {

// Elements of FLOAT32 with their shape.
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

// 0 has a quantized value of its own, whatever the range is.
Int8Coding coding_of(double low, double high);
// The same of the range that the values have.
Int8Coding coding_of(const std::vector<float>& values);

struct CodedConstant {
  std::vector<int8_t> values;
  std::vector<float> scales;  // one, or one for each element of the dimension
};

// Symmetric around 0. `axis` has a scale for each element. A scale is so large that the bias of its channel,
// where there is one, is an INT32 in steps of `input_scale` times it.
CodedConstant coded_weights(const FloatConstant& weights, std::optional<size_t> axis,
                            const std::vector<float>& bias, float input_scale);

// In steps of `input_scale` times the scale of the channel.
std::vector<int32_t> coded_bias(const std::vector<float>& bias, const std::vector<float>& scales,
                                float input_scale);

// All elements in one range.
std::vector<int8_t> coded_values(const std::vector<float>& values, const Int8Coding& coding);

}  // namespace nnrt::import
