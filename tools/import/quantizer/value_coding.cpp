#include "tools/import/quantizer/value_coding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import {
namespace {

constexpr double kMaxSteps = 127;          // for weights, on each side of 0
constexpr double kMaxBiasSteps = 1 << 30;  // leaves the same headroom for the sum of products
constexpr float kSmallestScale = 1e-12f;   // for an all-zero range

int8_t to_int8(double steps) { return static_cast<int8_t>(std::clamp(std::round(steps), -128.0, 127.0)); }

}  // namespace

Int8Coding coding_of(double low, double high) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  Int8Coding coding;
  coding.scale = static_cast<float>((high - low) / 255);
  if (!(coding.scale >= kSmallestScale)) return {1, 0};
  coding.zero_point = to_int8(-128 - low / static_cast<double>(coding.scale));
  return coding;
}

Int8Coding coding_of(const std::vector<float>& values) {
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax_element(values);
  return coding_of(static_cast<double>(*low), static_cast<double>(*high));
}

CodedConstant coded_weights(const FloatConstant& weights, std::optional<size_t> axis,
                            const std::vector<float>& bias, float input_scale) {
  size_t inner = weights.values.size(), channels = 1;
  if (axis) {
    channels = static_cast<size_t>(weights.shape[*axis]);
    inner = 1;
    for (size_t d = *axis + 1; d < weights.shape.size(); ++d) inner *= static_cast<size_t>(weights.shape[d]);
  }
  const auto channel_of = [&](size_t i) { return i / inner % channels; };
  std::vector<double> largest(channels, 0), needed(channels, 0);
  for (size_t i = 0; i < weights.values.size(); ++i)
    largest[channel_of(i)] =
        std::max(largest[channel_of(i)], std::abs(static_cast<double>(weights.values[i])));
  for (size_t i = 0; i < bias.size(); ++i) {
    double& scale = needed[i % channels];
    scale = std::max(
        scale, std::abs(static_cast<double>(bias[i])) / (kMaxBiasSteps * static_cast<double>(input_scale)));
  }
  CodedConstant coded;
  for (size_t c = 0; c < channels; ++c)
    coded.scales.push_back(
        std::max(static_cast<float>(std::max(largest[c] / kMaxSteps, needed[c])), kSmallestScale));
  for (size_t i = 0; i < weights.values.size(); ++i)
    coded.values.push_back(
        to_int8(static_cast<double>(weights.values[i]) / static_cast<double>(coded.scales[channel_of(i)])));
  return coded;
}

std::vector<int32_t> coded_bias(const std::vector<float>& bias, const std::vector<float>& scales,
                                float input_scale) {
  std::vector<int32_t> coded;
  for (size_t i = 0; i < bias.size(); ++i) {
    const double step = static_cast<double>(scales[i % scales.size()] * input_scale);
    const double steps = std::round(static_cast<double>(bias[i]) / step);
    coded.push_back(static_cast<int32_t>(
        std::clamp<double>(steps, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())));
  }
  return coded;
}

std::vector<int8_t> coded_values(const std::vector<float>& values, const Int8Coding& coding) {
  std::vector<int8_t> coded;
  coded.reserve(values.size());
  for (const float value : values)
    coded.push_back(
        to_int8(static_cast<double>(value) / static_cast<double>(coding.scale) + coding.zero_point));
  return coded;
}

}  // namespace nnrt::import
