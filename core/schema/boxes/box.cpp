#include "core/schema/boxes/box.h"

#include "core/base/fp16.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt {
namespace {

template <typename T>
T element(const std::byte* data, size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof value, sizeof value);
  return value;
}

}  // namespace

CornerBox box_at(std::span<const float> boxes, size_t index) {
  const float* const box = &boxes[4 * index];
  return {box[0], box[1], box[2], box[3]};
}

Status check_box(const CornerBox& box, size_t index) {
  if (box.x1 <= box.x2 && box.y1 <= box.y2) return {};
  return invalid("Box ", index, " (", box.x1, ", ", box.y1, ", ", box.x2, ", ", box.y2, ") is inverted.");
}

float overlap(const CornerBox& a, const CornerBox& b) {
  const float width = std::max(std::min(a.x2, b.x2) - std::max(a.x1, b.x1), 0.0f);
  const float height = std::max(std::min(a.y2, b.y2) - std::max(a.y1, b.y1), 0.0f);
  const float common = width * height, all = a.area() + b.area() - common;
  return all > 0 ? common / all : 0;
}

CornerBox transformed(const CornerBox& box, std::span<const float, 4> delta, ImageSize image) {
  const float x = (box.x1 + box.x2) / 2 + delta[0] * box.width();
  const float y = (box.y1 + box.y2) / 2 + delta[1] * box.height();
  const float half_width = std::exp(delta[2]) * box.width() / 2;
  const float half_height = std::exp(delta[3]) * box.height() / 2;
  const auto clipped = [](float value, float end) { return std::max(std::min(value, end), 0.0f); };
  return {clipped(x - half_width, image.width), clipped(y - half_height, image.height),
          clipped(x + half_width, image.width), clipped(y + half_height, image.height)};
}

std::vector<float> floats_of(const NodeView& node, size_t input) {
  const std::byte* const data = node.data(input);
  const Tensor& tensor = node.input(input);
  std::vector<float> floats(size_t(element_count(node.shape(input)).value_or(0)));
  for (size_t i = 0; i < floats.size(); ++i) {
    switch (tensor.dtype) {
      case DType::f16: floats[i] = to_float(element<Half>(data, i)); break;
      case DType::i8: {
        const int code = element<int8_t>(data, i) - tensor.quant.zero_points.at(0);
        floats[i] = float(tensor.quant.scales.at(0) * code);
        break;
      }
      default: floats[i] = element<float>(data, i); break;
    }
  }
  return floats;
}

bool are_known(const NodeView& node, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (node.data(i) == nullptr || !is_static(node.shape(i))) return false;
  return true;
}

Result<int64_t> row_count(const NodeView& node, size_t count) {
  if (count > 0) return int64_t(count);
  if (node.attrs().is_set(Attr::empty_row)) return int64_t(1);
  return invalid("No box is left, and outputs cannot be empty.");
}

}  // namespace nnrt
