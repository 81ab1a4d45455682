#include "tools/nnrt/data/results.h"

#include "tools/nnrt/base/lower_case.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnrt::tool {
namespace {

constexpr size_t kShown = 8;

}  // namespace

double real(const Output& output, size_t index) {
  const double code = output.array[index];
  const import::Quantization& quantization = output.tensor.quantization;
  if (!is_8_bit(output.array.type) || quantization.empty()) return code;
  return quantization.scales[0] * (code - quantization.zero_points[0]);
}

bool is_detector(std::span<const Output> outputs) {
  if (outputs.size() != 4) return false;
  const size_t boxes = outputs[1].array.count();
  const Shape& shape = outputs[0].array.shape;
  return !shape.empty() && shape.back() == 4 && outputs[0].array.count() == 4 * boxes &&
         outputs[2].array.count() == boxes && outputs[3].array.count() == 1;
}

namespace {

bool has_rows(const Array& array, size_t rows) {
  const Shape& shape = array.shape;
  return shape.size() >= 2 && size_t(shape[shape.size() - 2]) == rows && shape.back() > 1;
}

bool is_box(const Output& output) {
  return output.array.shape.back() == 4 && lower_case(output.tensor.name).find("box") != std::string::npos;
}

}  // namespace

bool is_classifier(std::span<const Output> outputs, size_t index) {
  const Output& output = outputs[index];
  const size_t count = output.array.count();
  const auto extents =
      std::ranges::count_if(output.array.shape, [](int32_t dimension) { return dimension != 1; });
  if (extents != 1 || count < 2 || is_box(output)) return false;
  return std::ranges::none_of(outputs, [&](const Output& other) { return has_rows(other.array, count); });
}

Boxes boxes_of(std::span<const Output> outputs) {
  const double reported = real(outputs[3], 0);
  const size_t present = outputs[1].array.count();
  Boxes boxes;
  boxes.count =
      reported >= 0 && reported <= static_cast<double>(present) ? static_cast<size_t>(reported) : present;
  for (size_t i = 0; i < boxes.count; ++i) {
    const double score = real(outputs[2], i);
    if (!(score >= kSmallestScore)) continue;
    Box box{score, static_cast<size_t>(std::max(real(outputs[1], i), 0.0)), {}};
    for (size_t side = 0; side < 4; ++side) box.sides[side] = real(outputs[0], 4 * i + side);
    boxes.shown.push_back(box);
  }
  return boxes;
}

std::vector<ClassScore> best_classes(const Output& output, size_t count) {
  std::vector<size_t> order(output.array.count());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(count, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(shown), [&](size_t a, size_t b) {
        const double left = output.array[a], right = output.array[b];
        return std::isnan(right) ? !std::isnan(left) || a < b : left > right || (left == right && a < b);
      });
  std::vector<ClassScore> best;
  for (const size_t index : std::span(order).first(shown)) best.push_back({real(output, index), index});
  return best;
}

Statistics statistics_of(const Output& output) {
  Statistics figures{INFINITY, -INFINITY, 0, 0, {}};
  const size_t count = output.array.count();
  for (size_t i = 0; i < count; ++i) {
    const double value = real(output, i);
    if (i < kShown) figures.first.push_back(value);
    if (!std::isfinite(value)) continue;
    ++figures.finite;
    figures.min = std::min(figures.min, value);
    figures.max = std::max(figures.max, value);
    figures.mean += value;
  }
  figures.mean /= static_cast<double>(figures.finite);
  return figures;
}

std::string label_of(std::span<const std::string> labels, size_t number) {
  return number < labels.size() ? labels[number] : "";
}

}  // namespace nnrt::tool
