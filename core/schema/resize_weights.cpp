#include "core/schema/resize_weights.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nnrt {
namespace {

ResizeRule rule_of(const NodeView& node, size_t d) {
  const Attrs& attrs = node.attrs();
  const int64_t in = node.shape(0)[d], out = node.output_shape(0)[d];
  ResizeRule rule{.mode = ResizeMode(attrs.integer(Attr::mode)),
                  .coordinates = ResizeCoordinates(attrs.integer(Attr::coordinate_mode)),
                  .rounding = ResizeRounding(attrs.integer(Attr::nearest_mode)),
                  .cubic = attrs.real(Attr::cubic_coefficient),
                  .scale = double(out) / double(in),
                  .exclude_outside = attrs.flag(Attr::exclude_outside),
                  .antialias = attrs.flag(Attr::antialias),
                  .in = in,
                  .out = out};
  if (attrs.has(Attr::scales)) rule.scale = attrs.floats(Attr::scales)[d];
  if (attrs.has(Attr::region)) {
    const std::span<const double> region = attrs.floats(Attr::region);
    rule.begin = region[d];
    rule.end = region[d + region.size() / 2];
  }
  return rule;
}

// The input coordinate of output element i.
template <typename Real>
Real position(const ResizeRule& rule, int64_t i) {
  const Real x = Real(i), in = Real(rule.in), out = Real(rule.out), scale = Real(rule.scale);
  const Real begin = Real(rule.begin), end = Real(rule.end), half = Real(0.5);
  switch (rule.coordinates) {
    case ResizeCoordinates::half_pixel: break;
    case ResizeCoordinates::pytorch:
      if (rule.out == 1) return 0;
      break;
    case ResizeCoordinates::symmetric: return in / 2 * (1 - out / (scale * in)) + (x + half) / scale - half;
    case ResizeCoordinates::corners: return rule.out == 1 ? 0 : x * (in - 1) / (out - 1);
    case ResizeCoordinates::asymmetric: return x / scale;
    case ResizeCoordinates::region:
      if (rule.out == 1) return half * (begin + end) * (in - 1);
      return begin * (in - 1) + x * (end - begin) * (in - 1) / (out - 1);
    case ResizeCoordinates::half_pixel_of_nearest: return (x + half) / scale;
  }
  return (x + half) / scale - half;
}

// Coordinates in float32 that should be ties may miss them a little.
int64_t rounded(ResizeRounding how, double position) {
  constexpr double kNear = 1e-6;
  const double below = std::floor(position), rest = position - below;
  const bool is_tie = std::fabs(rest - 0.5) < kNear;
  switch (how) {
    case ResizeRounding::half_down: return int64_t(below) + (rest > 0.5 && !is_tie ? 1 : 0);
    case ResizeRounding::half_up: return int64_t(below) + (rest > 0.5 || is_tie ? 1 : 0);
    case ResizeRounding::floor: return int64_t(below);
    case ResizeRounding::ceil: return int64_t(std::ceil(position));
  }
  return 0;
}

// Far outside the input only the edge element counts. Positions that overflow may be NaN.
double near_input(const ResizeRule& rule, double position) {
  if (std::isnan(position)) return 0;
  return std::clamp(position, -2 * double(rule.in) - 4, 3 * double(rule.in) + 4);
}

int64_t nearest_to(const ResizeRule& rule, double position) {
  return std::clamp<int64_t>(rounded(rule.rounding, near_input(rule, position)), 0, rule.in - 1);
}

double linear_weight(double distance) { return std::max(0.0, 1 - std::fabs(distance)); }

double cubic_weight(double a, double distance) {
  const double d = std::fabs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Weights of the input elements starting at `first`.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights{};
};

// Weights outside the input count for the edge element, or not at all.
Taps interpolated(const ResizeRule& rule, double at) {
  // Extreme scales would make the filter many times wider than the input.
  const double narrow = rule.antialias ? std::clamp(rule.scale, 1.0 / double(rule.in + 1), 1.0) : 1.0;
  const double radius = (rule.mode == ResizeMode::cubic ? 2 : 1) / narrow;
  const auto low = int64_t(std::floor(at - radius)) + 1, high = int64_t(std::ceil(at + radius)) - 1;
  const auto inside = [&](int64_t cell) { return std::clamp<int64_t>(cell, 0, rule.in - 1); };
  Taps taps{.first = inside(low)};
  taps.weights.resize(size_t(inside(high) - taps.first + 1));
  double sum = 0;
  for (int64_t cell = low; cell <= high; ++cell) {
    if (rule.exclude_outside && cell != inside(cell)) continue;
    const double distance = (double(cell) - at) * narrow;
    const double weight =
        rule.mode == ResizeMode::cubic ? cubic_weight(rule.cubic, distance) : linear_weight(distance);
    taps.weights[size_t(inside(cell) - taps.first)] += weight;
    sum += weight;
  }
  if (!rule.exclude_outside && !rule.antialias) return taps;
  if (sum == 0) return {inside(rounded(ResizeRounding::half_down, at)), {1}};
  for (double& weight : taps.weights) weight /= sum;
  return taps;
}

// Empty if the coordinate is outside the input and the extrapolation value applies. As in ONNX Runtime,
// coordinates are float32 where a choice depends on them.
std::optional<Taps> taps_of(const ResizeRule& rule, int64_t i) {
  const bool is_nearest = rule.mode == ResizeMode::nearest;
  const bool is_region = rule.coordinates == ResizeCoordinates::region;
  const double exact = is_nearest || is_region ? double(position<float>(rule, i)) : position<double>(rule, i);
  if (is_region && !(exact >= 0 && exact <= double(rule.in - 1))) return std::nullopt;
  if (is_nearest) return Taps{nearest_to(rule, exact), {1}};
  return interpolated(rule, near_input(rule, exact));
}

ResizeAxis axis_of(const ResizeRule& rule, const std::vector<std::optional<Taps>>& all, float outside) {
  ResizeAxis axis{.in = rule.in, .out = rule.out, .taps = 1};
  for (const std::optional<Taps>& taps : all) {
    if (taps) axis.taps = std::max(axis.taps, int64_t(taps->weights.size()));
  }
  axis.weights.resize(size_t(axis.out * (axis.taps + 1)));
  for (int64_t i = 0; i < axis.out; ++i) {
    const std::optional<Taps>& taps = all[size_t(i)];
    axis.first.push_back(taps ? std::min(taps->first, axis.in - axis.taps) : 0);
    float* const weights = axis.weights.data() + i * (axis.taps + 1);
    if (!taps) weights[axis.taps] = outside;
    for (size_t k = 0; taps && k < taps->weights.size(); ++k)
      weights[taps->first - axis.first.back() + int64_t(k)] = float(taps->weights[k]);
  }
  return axis;
}

}  // namespace

int64_t ResizeRule::nearest(int64_t i) const { return nearest_to(*this, double(position<float>(*this, i))); }

int64_t scaled_length(int64_t length, double scale) {
  const auto product = double(std::floor(float(length) * float(scale)));
  return product > 0 ? int64_t(std::min(product, double(int64_t{1} << 62))) : 0;
}

bool ResizeAxis::is_identity() const {
  if (in != out) return false;
  for (int64_t i = 0; i < out; ++i) {
    const float* const weights_here = weights_of(i);
    for (int64_t k = 0; k <= taps; ++k) {
      if (weights_here[k] != (k < taps && first[size_t(i)] + k == i ? 1.0f : 0.0f)) return false;
    }
  }
  return true;
}

Result<std::vector<ResizeAxis>> resize_axes(const NodeView& node) {
  constexpr int64_t kMaxWeights = int64_t{1} << 28;
  const auto outside = float(node.attrs().real(Attr::value));
  std::vector<ResizeAxis> axes;
  for (size_t d = node.shape(0).size(); d-- > 0;) {
    const ResizeRule rule = rule_of(node, d);
    std::vector<std::optional<Taps>> all;
    int64_t count = 0;
    for (int64_t i = 0; i < rule.out; ++i) {
      all.push_back(taps_of(rule, i));
      count += all.back() ? int64_t(all.back()->weights.size()) + 1 : 0;
      if (count > kMaxWeights)
        return unsupported("The weights of a resize of ", rule.in, " to ", rule.out, " elements exceed ",
                           kMaxWeights, ".");
    }
    ResizeAxis axis = axis_of(rule, all, outside);
    axis.dimension = d;
    if (!axis.is_identity()) axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace nnrt
