// BOX_WITH_NMS_LIMIT and GENERATE_PROPOSALS. Shape inference already selected the boxes.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/boxes/box_kernels.h"
#include "core/schema/boxes/limited_boxes.h"
#include "core/schema/boxes/proposals.h"

namespace nnrt::cpu {
namespace {

constexpr int32_t kNoImage = -1;

// Outputs 0 and 1: scores and boxes.
class Rows {
 public:
  explicit Rows(const KernelArgs& args) : scores_(args, 0), boxes_(args, 1) {}

  void add(float score, const CornerBox& box) {
    const std::array<float, 4> corners{box.x1, box.y1, box.x2, box.y2};
    std::ranges::copy(corners, &boxes_[4 * row_]);
    scores_[row_++] = score;
  }

  void store() {
    scores_.store();
    boxes_.store();
  }

 private:
  FloatOutput scores_, boxes_;
  int64_t row_ = 0;
};

}  // namespace

Status box_with_nms_limit(const KernelArgs& args) {
  NNRT_ASSIGN(const std::vector<LimitedBox> found, limited_boxes(args.node));
  const FloatInput boxes(args, 1);
  Rows rows(args);
  int32_t *labels = args.output<int32_t>(2), *batch_indices = args.output<int32_t>(3);
  const auto classes = size_t(args.node.shape(0)[1]);
  for (const LimitedBox& box : found) {
    rows.add(box.score, box_at(boxes.values(), box.row * classes + size_t(box.label)));
    *labels++ = box.label;
    *batch_indices++ = box.batch_index;
  }
  if (found.empty()) {
    rows.add(0, {});
    *labels = 0;
    *batch_indices = kNoImage;
  }
  rows.store();
  return {};
}

Status generate_proposals(const KernelArgs& args) {
  NNRT_ASSIGN(const std::vector<Proposal> found, proposals(args.node));
  Rows rows(args);
  auto* batch_indices = args.output<int32_t>(2);
  for (const Proposal& proposal : found) {
    rows.add(proposal.score, proposal.box);
    *batch_indices++ = proposal.batch_index;
  }
  if (found.empty()) {
    rows.add(0, {});
    *batch_indices = kNoImage;
  }
  rows.store();
  return {};
}

}  // namespace nnrt::cpu
