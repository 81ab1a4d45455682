#include "core/schema/operators/selections.h"

#include "core/base/element_at.h"
#include "core/base/fp16.h"
#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

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

double number(const std::byte* data, DType dtype, int64_t i) {
  const ByteView bytes(data, size_t(i + 1) * size_of(dtype));
  if (dtype == DType::f16) return to_float(element_at<Half>(bytes, size_t(i)));
  if (dtype == DType::f64) return element_at<double>(bytes, size_t(i));
  return element_at<float>(bytes, size_t(i));
}

// Numbers with the order of the elements. Both zeros are the same; NaN is above all others.
std::vector<uint64_t> ordered_keys(const NodeView& node) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const auto count = size_t(element_count(node.shape(0)).value_or(0));
  const ByteView bytes(node.data(0), count * size_of(node.dtype()));
  std::vector<uint64_t> keys(count);
  const auto fill = [&](const auto& key_of) {
    for (size_t i = 0; i < count; ++i) keys[i] = key_of(i);
  };
  switch (node.dtype()) {
    case DType::f16:
    case DType::f32:
    case DType::f64:
      fill([&](size_t i) {
        const double value = number(node.data(0), node.dtype(), int64_t(i));
        if (std::isnan(value)) return UINT64_MAX;
        const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
        return (bits & kSign) != 0 ? ~bits : bits | kSign;
      });
      break;
    case DType::i8: fill([&](size_t i) { return uint64_t(element_at<int8_t>(bytes, i)) ^ kSign; }); break;
    case DType::i16: fill([&](size_t i) { return uint64_t(element_at<int16_t>(bytes, i)) ^ kSign; }); break;
    case DType::i32: fill([&](size_t i) { return uint64_t(element_at<int32_t>(bytes, i)) ^ kSign; }); break;
    case DType::i64: fill([&](size_t i) { return uint64_t(element_at<int64_t>(bytes, i)) ^ kSign; }); break;
    case DType::boolean: fill([&](size_t i) { return uint64_t(element_at<uint8_t>(bytes, i) != 0); }); break;
    case DType::u8: fill([&](size_t i) { return uint64_t(element_at<uint8_t>(bytes, i)); }); break;
    case DType::u16: fill([&](size_t i) { return uint64_t(element_at<uint16_t>(bytes, i)); }); break;
    case DType::u32: fill([&](size_t i) { return uint64_t(element_at<uint32_t>(bytes, i)); }); break;
    default: fill([&](size_t i) { return element_at<uint64_t>(bytes, i); }); break;
  }
  return keys;
}

// The slices of input 0 along UNIQUE's axis.
class Slices {
 public:
  explicit Slices(const NodeView& node) : keys_(ordered_keys(node)), has_nan_(is_float(node.dtype())) {
    const Shape shape = node.shape(0).empty() ? Shape{1} : node.shape(0);
    const int64_t given = node.attrs().integer(Attr::axis);
    const auto axis = size_t(given < 0 ? given + int64_t(shape.size()) : given);
    outer_ = size_t(product(shape, 0, axis));
    count_ = size_t(shape[axis]);
    inner_ = size_t(product(shape, axis + 1, shape.size()));
  }

  size_t count() const { return count_; }

  // The sign of the first difference.
  int compare(size_t a, size_t b) const {
    for (size_t outer = 0; outer < outer_; ++outer) {
      for (size_t inner = 0; inner < inner_; ++inner) {
        const uint64_t left = key(outer, a, inner), right = key(outer, b, inner);
        if (left != right) return left < right ? -1 : 1;
      }
    }
    return 0;
  }

  // NaN equals nothing.
  bool are_equal(size_t a, size_t b) const {
    if (compare(a, b) != 0) return false;
    if (!has_nan_) return true;
    for (size_t outer = 0; outer < outer_; ++outer)
      for (size_t inner = 0; inner < inner_; ++inner)
        if (key(outer, a, inner) == UINT64_MAX) return false;
    return true;
  }

 private:
  uint64_t key(size_t outer, size_t slice, size_t inner) const {
    return keys_[(outer * count_ + slice) * inner_ + inner];
  }

  std::vector<uint64_t> keys_;
  bool has_nan_;
  size_t outer_ = 1, count_ = 0, inner_ = 1;
};

struct Box {
  float y0, x0, y1, x1;

  float area() const { return (y1 - y0) * (x1 - x0); }
};

// Parameters, or the inputs that replace them. A limit below 1 selects nothing.
struct Limits {
  explicit Limits(const NodeView& node)
      : count(node.attrs().has(Attr::max_output) ? node.attrs().integer(Attr::max_output) : 0),
        overlap(node.attrs().real(Attr::iou_threshold)),
        score(node.attrs().real(Attr::score_threshold)) {
    if (node.input_count() > 2) count = node.integers(2)->at(0);
    if (node.input_count() > 3) overlap = number(node.data(3), node.dtype(3), 0);
    if (node.input_count() > 4) score = number(node.data(4), node.dtype(4), 0);
  }

  int64_t count;
  double overlap, score;
};

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
                                const Limits& limits) {
  std::vector<int64_t> order, selected;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > float(limits.score)) order.push_back(int64_t(i));
  std::ranges::stable_sort(order, std::ranges::greater(), [&](int64_t i) { return scores[size_t(i)]; });
  for (const int64_t candidate : order) {
    if (std::cmp_greater_equal(selected.size(), std::max<int64_t>(limits.count, 0))) break;
    const bool covered = std::ranges::any_of(selected, [&](int64_t better) {
      return overlaps_more(boxes[size_t(better)], boxes[size_t(candidate)], float(limits.overlap));
    });
    if (!covered) selected.push_back(candidate);
  }
  return selected;
}

Error too_many(const auto& count) {
  return invalid("The number of elements (", count, ") is above ", std::numeric_limits<int32_t>::max(), ".");
}

// Counts in double, as ONNX Runtime does.
Result<std::optional<Progression>> float_progression(const NodeView& node) {
  const auto value = [&](size_t i) { return number(node.data(i), node.dtype(), 0); };
  const double start = value(1), limit = value(2), delta = value(3);
  const double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (delta == 0) return invalid("Delta is 0.");
  if (!(count <= std::numeric_limits<int32_t>::max())) return too_many(count);
  return std::optional(
      Progression{.count = int64_t(count), .real_start = start, .real_delta = delta, .is_real = true});
}

Result<std::optional<Progression>> integer_progression(const NodeView& node) {
  const bool by_inputs = node.input_count() > 1;
  const auto value = [&](size_t i, Attr attr) {
    return by_inputs ? node.integers(i)->at(0) : node.attrs().integer(attr);
  };
  const int64_t start = value(1, Attr::start), limit = value(2, Attr::limit), delta = value(3, Attr::delta);
  if (delta == 0) return invalid("Delta is 0.");
  Progression range{.start = uint64_t(start), .delta = uint64_t(delta)};
  if (delta > 0 ? limit <= start : limit >= start) return std::optional(range);
  const uint64_t distance = delta > 0 ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
  const uint64_t count = (distance - 1) / (delta > 0 ? uint64_t(delta) : 0 - uint64_t(delta)) + 1;
  if (std::cmp_greater(count, std::numeric_limits<int32_t>::max())) return too_many(count);
  range.count = int64_t(count);
  return std::optional(range);
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

UniqueSlices unique_slices(const NodeView& node) {
  const Slices slices(node);
  std::vector<size_t> order(slices.count());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return slices.compare(a, b) < 0; });
  std::vector<size_t> starts;  // of runs of equal slices
  for (size_t i = 0; i < order.size(); ++i)
    if (i == 0 || !slices.are_equal(order[i - 1], order[i])) starts.push_back(i);
  std::vector<size_t> ends(starts.begin() + std::min<size_t>(starts.size(), 1), starts.end());
  ends.push_back(order.size());
  std::vector<size_t> runs(starts.size());
  std::iota(runs.begin(), runs.end(), size_t{0});
  if (!node.attrs().flag(Attr::sorted))
    std::ranges::sort(runs, {}, [&](size_t run) { return order[starts[run]]; });

  UniqueSlices unique;
  unique.inverse.resize(order.size());
  for (const size_t run : runs) {
    for (size_t i = starts[run]; i < ends[run]; ++i) unique.inverse[order[i]] = int64_t(unique.first.size());
    unique.first.push_back(int64_t(order[starts[run]]));
    unique.counts.push_back(int64_t(ends[run] - starts[run]));
  }
  return unique;
}

std::vector<SelectedBox> selected_boxes(const NodeView& node) {
  const int64_t images = node.shape(0)[0], count = node.shape(0)[1], classes = node.shape(1)[1];
  const bool is_centered = node.attrs().flag(Attr::center_point_box);
  const Limits limits(node);
  std::vector<SelectedBox> rows;
  std::vector<Box> boxes;
  std::vector<float> scores(static_cast<size_t>(count));
  for (int64_t image = 0; image < images; ++image) {
    boxes.clear();
    for (int64_t i = image * count; i < (image + 1) * count; ++i) {
      std::array<float, 4> given;
      for (int64_t k = 0; k < 4; ++k) given[size_t(k)] = float(number(node.data(0), node.dtype(), 4 * i + k));
      boxes.push_back(box_of(given, is_centered));
    }
    for (int64_t label = 0; label < classes; ++label) {
      const int64_t first = (image * classes + label) * count;
      for (int64_t i = 0; i < count; ++i)
        scores[size_t(i)] = float(number(node.data(1), node.dtype(1), first + i));
      for (const int64_t box : suppressed(boxes, scores, limits)) rows.push_back({image, label, box});
    }
  }
  return rows;
}

int64_t triangle_diagonal(const NodeView& node) {
  return node.input_count() > 1 ? node.integers(1)->at(0) : node.attrs().integer(Attr::diagonal);
}

Result<std::optional<Progression>> progression(const NodeView& node) {
  const bool by_inputs = node.input_count() > 1;
  for (size_t i = 1; i < node.input_count(); ++i)
    if (node.data(i) == nullptr) return std::optional<Progression>();
  return by_inputs && is_float(node.dtype()) ? float_progression(node) : integer_progression(node);
}

}  // namespace nnrt
