// Boxes.
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

namespace nnrt::mindspore {
namespace {

void lower_post_process(Lowering& op) {
  constexpr size_t kOutputs = 4;
  if (op.output_count() != kOutputs)
    op.fail(invalid("The number of outputs (", op.output_count(), ") is not 4."));
  op.emit_results(Op::detection_post_process, {op.real_in(0), op.real_in(1), op.real_in(2)}, op.settings(), 0,
                  kOutputs);
}

// Inputs: boxes, scores, and optionally the number of boxes, the overlap, and the score.
void lower_suppression(Lowering& op) {
  constexpr int64_t kNoLimit = INT32_MAX;
  const Integers max = op.has(2) ? op.constant_integers(2, "number of boxes") : Integers{kNoLimit};
  const std::optional<float> overlap = op.has(3) ? op.real(3) : 0.0f;
  if (max.size() != 1 || !overlap) op.refuse("The limits are not constant numbers.");
  Settings settings{{Attr::max_output, max[0]},
                    {Attr::iou_threshold, *overlap},
                    {Attr::center_point_box, op.primitive.integer("center_point_box")}};
  if (op.has(4)) {
    const std::optional<float> score = op.real(4);
    if (!score) op.refuse("The limits are not constant numbers.");
    settings.push_back({Attr::score_threshold, *score});
  }
  op.emit_results(Op::non_max_suppression, {op.in(0), op.in(1)}, settings);
}

}  // namespace

std::span<const LoweringRow> detection_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::detection_post_process, 3, 3, lower_post_process, Op::detection_post_process},
      {PrimitiveType::non_max_suppression, 2, 5, lower_suppression, Op::non_max_suppression},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
