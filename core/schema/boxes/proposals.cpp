#include "core/schema/boxes/proposals.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nnrt {
namespace {

class Proposals {
 public:
  explicit Proposals(const NodeView& node)
      : shape_(node.shape(0)),
        scores_(floats_of(node, 0)),
        deltas_(floats_of(node, 1)),
        anchors_(floats_of(node, 2)),
        sizes_(floats_of(node, 3)),
        attrs_(node.attrs()) {}

  Result<std::vector<Proposal>> all() const {
    for (size_t i = 0; 4 * i < anchors_.size(); ++i) NNRT_TRY(check_box(box_at(anchors_, i), i));
    std::vector<Proposal> found;
    for (int64_t image = 0; image < shape_[0]; ++image) {
      const std::vector<Proposal> best = unsuppressed(candidates(image));
      found.insert(found.end(), best.begin(), best.end());
    }
    return found;
  }

 private:
  // Indices of the best scores, best first, up to the limit.
  std::vector<size_t> best_elements(int64_t image) const {
    const auto area = size_t(shape_[1] * shape_[2] * shape_[3]);
    std::vector<size_t> order(area);
    std::iota(order.begin(), order.end(), size_t(image) * area);
    const auto score = [&](size_t i) {  // NaN counts as the lowest, to keep the order strict weak
      return std::isnan(scores_[i]) ? -std::numeric_limits<float>::infinity() : scores_[i];
    };
    std::ranges::stable_sort(order, std::ranges::greater(), score);
    const int64_t max = attrs_.integer(Attr::max_candidates);
    if (max > 0 && size_t(max) < area) order.resize(size_t(max));
    return order;
  }

  CornerBox box_of(size_t element, ImageSize size) const {
    const std::span<const double> strides = attrs_.floats(Attr::stride);
    const auto anchors = size_t(shape_[3]), width = size_t(shape_[2]), height = size_t(shape_[1]);
    const size_t cell = element / anchors;
    const float x = float(cell % width) * float(strides.back());
    const float y = float(cell / width % height) * float(strides.front());
    CornerBox anchor = box_at(anchors_, element % anchors);
    anchor = {anchor.x1 + x, anchor.y1 + y, anchor.x2 + x, anchor.y2 + y};
    return transformed(anchor, std::span<const float, 4>(&deltas_[4 * element], 4), size);
  }

  std::vector<Proposal> candidates(int64_t image) const {
    const float* const numbers = &sizes_[2 * size_t(image)];
    const ImageSize size{numbers[0], numbers[1]};
    const auto min_size = float(attrs_.real(Attr::min_size));
    std::vector<Proposal> found;
    for (const size_t element : best_elements(image)) {
      const CornerBox box = box_of(element, size);
      const bool is_large = box.width() > min_size && box.height() > min_size;
      const bool is_inside = (box.x1 + box.x2) / 2 < size.width && (box.y1 + box.y2) / 2 < size.height;
      if (is_large && is_inside) found.push_back({box, scores_[element], int32_t(image)});
    }
    return found;
  }

  std::vector<Proposal> unsuppressed(const std::vector<Proposal>& sorted) const {
    const auto threshold = float(attrs_.real(Attr::iou_threshold));
    const int64_t max = attrs_.integer(Attr::max_output);
    std::vector<Proposal> taken;
    for (const Proposal& candidate : sorted) {
      if (max > 0 && int64_t(taken.size()) == max) break;
      const bool is_covered = std::ranges::any_of(
          taken, [&](const Proposal& better) { return overlap(better.box, candidate.box) >= threshold; });
      if (!is_covered) taken.push_back(candidate);
    }
    return taken;
  }

  const Shape& shape_;
  std::vector<float> scores_, deltas_, anchors_, sizes_;
  const Attrs& attrs_;
};

}  // namespace

Result<std::vector<Proposal>> proposals(const NodeView& node) { return Proposals(node).all(); }

}  // namespace nnrt
