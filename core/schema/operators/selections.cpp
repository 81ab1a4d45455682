#include "core/schema/operators/selections.h"

#include "core/base/fp16.h"

#include <algorithm>
#include <cstring>

namespace nnrt {
namespace {

// Appends the indices of elements with any bit of `mask` set. (It excludes the sign: -0 is zero.)
template <typename Bits>
void add_non_zero(const std::byte* data, int64_t count, Bits mask, std::vector<int64_t>& found) {
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data + size_t(i) * sizeof bits, sizeof bits);
    if ((bits & mask) != 0) found.push_back(i);
  }
}

struct Box {
  float y0, x0, y1, x1;

  float area() const { return (y1 - y0) * (x1 - x0); }
};

float number(const std::byte* data, DType dtype, int64_t i) {
  if (dtype == DType::f16) {
    Half half;
    std::memcpy(&half, data + size_t(i) * sizeof half, sizeof half);
    return to_float(half);
  }
  float value;
  std::memcpy(&value, data + size_t(i) * sizeof value, sizeof value);
  return value;
}

// From two opposite corners, y first, or from center x, center y, width and height.
Box box_of(const std::array<float, 4>& given, bool is_centered) {
  if (!is_centered)
    return {std::min(given[0], given[2]), std::min(given[1], given[3]), std::max(given[0], given[2]),
            std::max(given[1], given[3])};
  const float half_width = given[2] / 2, half_height = given[3] / 2;
  return {given[1] - half_height, given[0] - half_width, given[1] + half_height, given[0] + half_width};
}

bool overlaps_more(const Box& a, const Box& b, float threshold) {
  const Box common{std::max(a.y0, b.y0), std::max(a.x0, b.x0), std::min(a.y1, b.y1), std::min(a.x1, b.x1)};
  if (!(a.area() > 0) || !(b.area() > 0) || !(common.y1 > common.y0) || !(common.x1 > common.x0))
    return false;
  return common.area() / (a.area() + b.area() - common.area()) > threshold;
}

// Indices of boxes in order of decreasing score; ties by lower index.
std::vector<int64_t> suppressed(const std::vector<Box>& boxes, const std::vector<float>& scores,
                                const Attrs& attrs) {
  const auto min_score = float(attrs.real(Attr::score_threshold));
  const auto max_overlap = float(attrs.real(Attr::iou_threshold));
  const auto max_count = size_t(attrs.integer(Attr::max_output));
  std::vector<int64_t> order, selected;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > min_score) order.push_back(int64_t(i));
  std::ranges::stable_sort(order, std::ranges::greater(), [&](int64_t i) { return scores[size_t(i)]; });
  for (const int64_t candidate : order) {
    if (selected.size() == max_count) break;
    const bool covered = std::ranges::any_of(selected, [&](int64_t better) {
      return overlaps_more(boxes[size_t(better)], boxes[size_t(candidate)], max_overlap);
    });
    if (!covered) selected.push_back(candidate);
  }
  return selected;
}

}  // namespace

std::vector<int64_t> non_zero_elements(const NodeView& node) {
  const std::byte* const data = node.data(0);
  const int64_t count = element_count(node.shape(0)).value_or(0);
  std::vector<int64_t> found;
  switch (node.dtype()) {
    case DType::f16: add_non_zero<uint16_t>(data, count, 0x7fff, found); break;
    case DType::f32: add_non_zero<uint32_t>(data, count, UINT32_MAX >> 1, found); break;
    case DType::f64: add_non_zero<uint64_t>(data, count, UINT64_MAX >> 1, found); break;
    default:
      switch (size_of(node.dtype())) {
        case 1: add_non_zero<uint8_t>(data, count, UINT8_MAX, found); break;
        case 2: add_non_zero<uint16_t>(data, count, UINT16_MAX, found); break;
        case 4: add_non_zero<uint32_t>(data, count, UINT32_MAX, found); break;
        default: add_non_zero<uint64_t>(data, count, UINT64_MAX, found); break;
      }
  }
  return found;
}

std::vector<SelectedBox> selected_boxes(const NodeView& node) {
  const int64_t pictures = node.shape(0)[0], count = node.shape(0)[1], classes = node.shape(1)[1];
  const bool is_centered = node.attrs().flag(Attr::center_point_box);
  std::vector<SelectedBox> rows;
  std::vector<Box> boxes;
  std::vector<float> scores(static_cast<size_t>(count));
  for (int64_t picture = 0; picture < pictures; ++picture) {
    boxes.clear();
    for (int64_t i = picture * count; i < (picture + 1) * count; ++i) {
      std::array<float, 4> given;
      for (int64_t k = 0; k < 4; ++k) given[size_t(k)] = number(node.data(0), node.dtype(), 4 * i + k);
      boxes.push_back(box_of(given, is_centered));
    }
    for (int64_t label = 0; label < classes; ++label) {
      const int64_t first = (picture * classes + label) * count;
      for (int64_t i = 0; i < count; ++i) scores[size_t(i)] = number(node.data(1), node.dtype(1), first + i);
      for (const int64_t box : suppressed(boxes, scores, node.attrs())) rows.push_back({picture, label, box});
    }
  }
  return rows;
}

}  // namespace nnrt
