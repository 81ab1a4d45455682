#include "core/schema/resize_weights.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nnrt {
namespace {

enum class Mode : uint8_t { nearest, linear, cubic };
enum class Coordinates : uint8_t { half_pixel, pytorch, symmetric, corners, asymmetric, region };
enum class Nearest : uint8_t { half_down, half_up, floor, ceil };

// How one dimension is resized.
struct Rule {
  Mode mode{};
  Coordinates coordinates{};
  Nearest nearest{};
  double cubic = 0, scale = 1, begin = 0, end = 1;  // begin, end: the region, as fractions
  bool exclude_outside = false, antialias = false;
  int64_t in = 0, out = 0;
};

Rule rule_of(const NodeView& node, size_t d) {
  const Attrs& attrs = node.attrs();
  const int64_t in = node.shape(0)[d], out = node.output_shape(0)[d];
  Rule rule{.mode = Mode(attrs.integer(Attr::mode)),
            .coordinates = Coordinates(attrs.integer(Attr::coordinate_mode)),
            .nearest = Nearest(attrs.integer(Attr::nearest_mode)),
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
double position(const Rule& rule, int64_t i) {
  const double x = double(i), in = double(rule.in), out = double(rule.out);
  switch (rule.coordinates) {
    case Coordinates::half_pixel: break;
    case Coordinates::pytorch:
      if (rule.out == 1) return 0;
      break;
    case Coordinates::symmetric: return in / 2 * (1 - out / (rule.scale * in)) + (x + 0.5) / rule.scale - 0.5;
    case Coordinates::corners: return rule.out == 1 ? 0 : x * (in - 1) / (out - 1);
    case Coordinates::asymmetric: return x / rule.scale;
    case Coordinates::region:
      if (rule.out == 1) return (rule.begin + rule.end) * (in - 1) / 2;
      return (rule.begin + x * (rule.end - rule.begin) / (out - 1)) * (in - 1);
  }
  return (x + 0.5) / rule.scale - 0.5;
}

int64_t nearest(Nearest how, double position) {
  switch (how) {
    case Nearest::half_down: return int64_t(std::ceil(position - 0.5));
    case Nearest::half_up: return int64_t(std::floor(position + 0.5));
    case Nearest::floor: return int64_t(std::floor(position));
    case Nearest::ceil: return int64_t(std::ceil(position));
  }
  return 0;
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
Taps interpolated(const Rule& rule, double at) {
  // Extreme scales would make the filter many times wider than the input.
  const double narrow = rule.antialias ? std::clamp(rule.scale, 1.0 / double(rule.in + 1), 1.0) : 1.0;
  const double radius = (rule.mode == Mode::cubic ? 2 : 1) / narrow;
  const auto low = int64_t(std::floor(at - radius)) + 1, high = int64_t(std::ceil(at + radius)) - 1;
  const auto inside = [&](int64_t cell) { return std::clamp<int64_t>(cell, 0, rule.in - 1); };
  Taps taps{.first = inside(low)};
  taps.weights.resize(size_t(inside(high) - taps.first + 1));
  double sum = 0;
  for (int64_t cell = low; cell <= high; ++cell) {
    if (rule.exclude_outside && cell != inside(cell)) continue;
    const double distance = (double(cell) - at) * narrow;
    const double weight =
        rule.mode == Mode::cubic ? cubic_weight(rule.cubic, distance) : linear_weight(distance);
    taps.weights[size_t(inside(cell) - taps.first)] += weight;
    sum += weight;
  }
  if (!rule.exclude_outside && !rule.antialias) return taps;
  if (sum == 0) return {inside(nearest(Nearest::half_down, at)), {1}};
  for (double& weight : taps.weights) weight /= sum;
  return taps;
}

// Empty if the coordinate is outside the input and the extrapolation value applies.
std::optional<Taps> taps_of(const Rule& rule, int64_t i) {
  const double exact = position(rule, i), last = double(rule.in - 1);
  if (rule.coordinates == Coordinates::region && !(exact >= 0 && exact <= last)) return std::nullopt;
  // Far outside the input only the edge element counts.
  const double at = std::clamp(exact, -2 * double(rule.in) - 4, 3 * double(rule.in) + 4);
  if (rule.mode == Mode::nearest)
    return Taps{std::clamp<int64_t>(nearest(rule.nearest, at), 0, rule.in - 1), {1}};
  return interpolated(rule, at);
}

ResizeAxis axis_of(const Rule& rule, const std::vector<std::optional<Taps>>& all, float outside) {
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
    const Rule rule = rule_of(node, d);
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
