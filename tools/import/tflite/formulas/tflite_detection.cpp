// Detection: as written by TensorFlow's object detectors, and NON_MAX_SUPPRESSION, which pads the selected
// boxes to the requested number and outputs the valid count.
#include "tools/import/tflite/formulas/tflite_custom_options.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <flatbuffers/flexbuffers.h>

#include <array>
#include <cmath>
#include <limits>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

// The file lacks the shapes of the four results.
void detection_post_process(Operator& op) {
  const CustomOptions options = CustomOptions::read(op);
  if (op.output_count() != 4) op.damaged("needs four outputs");
  const int64_t max = options.integer("max_detections"), each = options.integer("max_classes_per_detection");
  constexpr int64_t kMax = 1 << 20;
  if (max < 1 || each < 1 || max > kMax || each > kMax || max * each > kMax)
    op.damaged("has options without a number of detections");
  const auto rows = static_cast<int32_t>(max * each);
  const Shape shapes[] = {{1, rows, 4}, {1, rows}, {1, rows}, {1}};
  List<TensorId> results;
  for (size_t i = 0; i < 4; ++i) {
    op.build().tensor(op.output(i)).shape = shapes[i];
    results.push_back(op.result(i));
  }
  List<TensorId> operands = op.operands();
  op.build().operation(Op::detection_post_process, std::move(operands), std::move(results),
                       {{Attr::scale, std::array{options.real("h_scale"), options.real("w_scale"),
                                                 options.real("x_scale"), options.real("y_scale")}},
                        {Attr::iou_threshold, options.real("nms_iou_threshold")},
                        {Attr::score_threshold, options.real("nms_score_threshold")},
                        {Attr::max_detections, max},
                        {Attr::detections_per_class, options.integer("detections_per_class")},
                        {Attr::max_classes, each},
                        {Attr::num_classes, options.integer("num_classes")},
                        {Attr::use_regular_nms, options.flag("use_regular_nms")}});
}

void write_detection(NodeWriter& node) {
  flexbuffers::Builder options;
  const auto integer = [&](const char* name, Attr attr) {
    options.Int(name, node.has(attr) ? node.integer(attr) : 0);
  };
  const List<double> scales = node.has(Attr::scale) ? node.floats_of(Attr::scale) : List<double>{1, 1, 1, 1};
  options.Map([&] {
    integer("max_detections", Attr::max_detections);
    integer("max_classes_per_detection", Attr::max_classes);
    integer("detections_per_class", Attr::detections_per_class);
    integer("num_classes", Attr::num_classes);
    options.Bool("use_regular_nms", node.flag(Attr::use_regular_nms));
    options.Float("nms_iou_threshold", static_cast<float>(node.real(Attr::iou_threshold)));
    options.Float("nms_score_threshold", static_cast<float>(node.real(Attr::score_threshold)));
    const char* const names[] = {"h_scale", "w_scale", "x_scale", "y_scale"};
    for (size_t i = 0; i < 4; ++i) options.Float(names[i], static_cast<float>(scales[i]));
  });
  options.Finish();
  node.write_custom("TFLite_Detection_PostProcess", {options.GetBuffer().begin(), options.GetBuffer().end()});
}

// The next float toward `end` that no device flushes to 0.
float next_to(float value, float end) {
  const float next = std::nextafter(value, end);
  const float smallest = std::numeric_limits<float>::min();
  return next == 0 || std::abs(next) >= smallest ? next : std::copysign(smallest, next);
}

struct BoxChoice {
  int64_t max = 0;
  float overlap = 0, score = 0;
};

BoxChoice box_choice_of(Operator& op) {
  BoxChoice choice;
  choice.max = op.integer(2);
  choice.overlap = op.real(3);
  choice.score = op.real(4);
  constexpr int64_t kMaxBoxes = 1 << 16;
  if (choice.max < 1 || choice.max > kMaxBoxes)
    op.refuse("requests a number of boxes (", choice.max, ") outside [1, 65536]");
  if (!op.has(5)) return choice;
  const float sigma = op.real(5);
  if (sigma != 0) op.refuse("uses soft suppression (sigma " + std::to_string(sigma) + ")");
  return choice;
}

// Indices of the selected boxes, padded to choice.max with `count`, the index of an extra box. That box has
// no area and a score just above the threshold: it is selected last, so that the selection is never empty.
// TensorFlow Lite also suppresses overlaps equal to the threshold, so at 0 it keeps only the first box.
TensorId chosen_boxes(Operator& op, const BoxChoice& choice, TensorId boxes, TensorId scores, int32_t count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  NetworkBuilder& build = op.build();
  const TensorId nothing = build.constant<float>({1, 4}, List<float>(4, 0));
  const TensorId low = build.vector<float>({next_to(choice.score, kInfinity)});
  const TensorId all = op.reshape(op.concat({boxes, nothing}, 0), {1, count + 1, 4}),
                 all_scores = op.reshape(op.concat({scores, low}, 0), {1, 1, count + 1});
  const TensorId rows = op.emit(Op::non_max_suppression, {all, all_scores},
                                {{Attr::max_output, choice.overlap > 0 ? choice.max + 1 : 1},
                                 {Attr::iou_threshold, next_to(choice.overlap, -kInfinity)},
                                 {Attr::score_threshold, choice.score}},
                                {.shape = {-1, 3}});
  const TensorId rest = build.vector(List<int32_t>(static_cast<size_t>(choice.max), count));
  const TensorId places = op.concat({op.reshape(op.slice(rows, 1, 2, 3), {-1}), rest}, 0);
  return op.emit(Op::slice, {places, build.vector<int32_t>({0}),
                             build.vector<int32_t>({static_cast<int32_t>(choice.max)})});
}

void non_max_suppression(Operator& op) {
  const bool has_scores = op.row().code == NON_MAX_SUPPRESSION_V5;
  if (op.output_count() != (has_scores ? 3 : 2)) op.damaged("has the wrong number of outputs");
  const BoxChoice choice = box_choice_of(op);
  const TensorId boxes = op.operand(0), scores = op.operand(1);
  const int32_t count = op.length(scores, 0);
  const TensorId places = chosen_boxes(op, choice, boxes, scores, count);
  const TensorId is_box = op.emit(Op::not_equal, {places, op.build().scalar<int32_t>(count)});
  const TensorId indices = op.where(is_box, places, op.build().scalar<int32_t>(0));
  op.write_to(op.result(0), Op::where, {is_box, places, op.build().scalar<int32_t>(0)});
  if (has_scores) {
    const TensorId chosen = op.emit(Op::gather, {scores, indices, op.build().scalar<int32_t>(0)});
    op.write_to(op.result(1), Op::where, {is_box, chosen, op.number(chosen, 0)});
  }
  op.write_to(op.result(has_scores ? 2 : 1), Op::reduce_sum,
              {op.cast(is_box, DType::i32), op.build().vector<int32_t>({0})}, {{Attr::keep_dims, false}});
}

constexpr Row kDetectionRows[] = {
    {CUSTOM, 3, 3, Numbers::real, detection_post_process, Op::detection_post_process, write_detection,
     "TFLite_Detection_PostProcess"},
    {NON_MAX_SUPPRESSION_V4, 5, 5, Numbers::real, non_max_suppression},
    {NON_MAX_SUPPRESSION_V5, 6, 6, Numbers::real, non_max_suppression},
};

}  // namespace

std::span<const Row> detection_rows() { return kDetectionRows; }

}  // namespace nnrt::import::tflite
