#include "core/schema/boxes/limited_boxes.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt {
namespace {

enum class Suppression : uint8_t { hard, linear, gaussian };

class Limits {
 public:
  explicit Limits(const Attrs& attrs)
      : mode(Suppression(attrs.integer(Attr::mode))),
        score(float(attrs.real(Attr::score_threshold))),
        suppressed_score(float(attrs.real(Attr::nms_score_threshold))),
        threshold_(float(attrs.real(Attr::iou_threshold))),
        sigma_(float(attrs.real(Attr::sigma))) {
    const int64_t max = attrs.integer(Attr::max_detections);
    count = max < 0 ? std::numeric_limits<size_t>::max() : size_t(max);
  }

  // Factor applied to the score of a box that overlaps a better one.
  float factor(float overlap) const {
    if (mode == Suppression::gaussian) return std::exp(-overlap * overlap / sigma_);
    if (overlap < threshold_) return 1;
    return mode == Suppression::linear ? 1 - overlap : 0;
  }

  Suppression mode;
  float score, suppressed_score;
  size_t count = 0;

 private:
  float threshold_, sigma_;
};

// The boxes of one image are rows [begin, end).
struct ImageRows {
  size_t begin = 0, end = 0;
  int32_t number = 0;
};

class Selection {
 public:
  explicit Selection(const NodeView& node)
      : classes_(size_t(node.shape(0)[1])),
        scores_(floats_of(node, 0)),
        boxes_(floats_of(node, 1)),
        batch_indices_(node.integers(2).value()),
        limits_(node.attrs()) {}

  Result<std::vector<LimitedBox>> all() const {
    std::vector<LimitedBox> found;
    for (size_t begin = 0; begin < batch_indices_.size();) {
      size_t end = begin;
      while (end < batch_indices_.size() && batch_indices_[end] == batch_indices_[begin]) ++end;
      NNRT_ASSIGN(const std::vector<LimitedBox> best, of_image({begin, end, int32_t(batch_indices_[begin])}));
      found.insert(found.end(), best.begin(), best.end());
      begin = end;
    }
    return found;
  }

 private:
  CornerBox box_of(const LimitedBox& box) const {
    return box_at(boxes_, box.row * classes_ + size_t(box.label));
  }

  Result<std::vector<LimitedBox>> of_image(const ImageRows& image) const {
    std::vector<LimitedBox> best;
    for (size_t label = 1; label < classes_; ++label) {  // class 0 is the background
      NNRT_ASSIGN(const std::vector<LimitedBox> found, of_class(image, label));
      best.insert(best.end(), found.begin(), found.end());
    }
    if (best.size() <= limits_.count) return best;
    const auto by_score = [](const LimitedBox& box) { return box.score; };
    std::ranges::stable_sort(best, std::ranges::greater(), by_score);
    best.resize(limits_.count);
    std::ranges::stable_sort(best, std::ranges::less(), &LimitedBox::label);
    return best;
  }

  Result<std::vector<LimitedBox>> of_class(const ImageRows& image, size_t label) const {
    std::vector<LimitedBox> left, taken;
    for (size_t row = image.begin; row < image.end; ++row) {
      const float score = scores_[row * classes_ + label];
      if (!(score > limits_.score)) continue;
      left.push_back({row, int32_t(label), image.number, score});
      NNRT_TRY(check_box(box_of(left.back()), row * classes_ + label));
    }
    while (!left.empty() && taken.size() < limits_.count) {
      const auto largest = std::ranges::max_element(left, std::ranges::less(), &LimitedBox::score);
      taken.push_back(*largest);
      left.erase(largest);
      suppress(box_of(taken.back()), left);
    }
    return taken;
  }

  void suppress(const CornerBox& better, std::vector<LimitedBox>& left) const {
    for (LimitedBox& box : left) box.score *= limits_.factor(overlap(better, box_of(box)));
    // Also drops NaN, which a factor may produce.
    std::erase_if(left, [&](const LimitedBox& box) { return !(box.score >= limits_.suppressed_score); });
  }

  size_t classes_;
  std::vector<float> scores_, boxes_;
  std::vector<int64_t> batch_indices_;
  Limits limits_;
};

}  // namespace

Result<std::vector<LimitedBox>> limited_boxes(const NodeView& node) {
  const int64_t mode = node.attrs().integer(Attr::mode);
  if (mode < 0 || mode > int64_t(Suppression::gaussian))
    return invalid("The mode (", mode, ") is not 0, 1 or 2.");
  return Selection(node).all();
}

}  // namespace nnrt
