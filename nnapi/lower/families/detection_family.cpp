// Boxes and image regions.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <numeric>

namespace nnrt::nnapi {
namespace {

// Boxes as floats; 16-bit ones are integers in the graph, with the operand's scale.
Value boxes_of(Lowering& op, size_t i) {
  Value value = op.in(i);
  if (is_float(value.dtype)) return value;
  const OperandType& type = op.operand(i).type;
  const Value shifted = add(op.graph, cast(op.graph, value, DType::f32), -double(type.zero_point));
  return mul(op.graph, shifted, double(type.scale));
}

// Rounds half up and saturates for 16-bit results; box coordinates are never negative.
void set_boxes(Lowering& op, size_t i, const Value& boxes) {
  const OperandType& type = op.result_operand(i).type;
  if (type.code != ANEURALNETWORKS_TENSOR_QUANT16_ASYMM) return op.set(i, boxes);
  GraphWriter& graph = op.graph;
  Value steps = graph.emit(Op::floor, {add(graph, mul(graph, boxes, 1 / double(type.scale)), 0.5)});
  steps =
      graph.emit(Op::clip, {add(graph, steps, type.zero_point)}, {{Attr::min, 0.0}, {Attr::max, 65535.0}});
  op.set(i, cast(graph, steps, DType::i32));
}

ResultType box_type(const Value& boxes) { return {boxes.dtype}; }

void lower_bbox_transform(Lowering& op) {
  const Value boxes = boxes_of(op, 0), sizes = boxes_of(op, 3);
  const bool is_checked = op.require_regions(0, 2, {.image_count = sizes.dim(0)});
  set_boxes(op, 0,
            op.graph.emit(Op::axis_aligned_bbox_transform, {boxes, op.in(1), op.in(2), sizes},
                          {{Attr::strict, !is_checked}}, box_type(boxes)));
}

void lower_box_with_nms_limit(Lowering& op) {
  const Value boxes = boxes_of(op, 1);
  const Settings settings{{Attr::score_threshold, op.real(3)},
                          {Attr::max_detections, op.integer(4)},
                          {Attr::mode, op.integer(5)},
                          {Attr::iou_threshold, op.real(6)},
                          {Attr::sigma, op.real(7)},
                          {Attr::nms_score_threshold, op.real(8)},
                          {Attr::empty_row, 1}};
  const std::vector<Value> results =
      op.graph.emit_all(Op::box_with_nms_limit, {op.in(0), boxes, op.in(2)}, settings,
                        {op.result_type(0), box_type(boxes), {DType::i32}, {DType::i32}});
  op.set(0, results[0]);
  set_boxes(op, 1, results[1]);
  op.set(2, results[2]);
  op.set(3, results[3]);
  op.set_row_marker(3);
}

void lower_generate_proposals(Lowering& op) {
  const bool is_nchw = op.flag(10);
  const Value sizes = boxes_of(op, 3);
  const Settings settings{{Attr::stride, std::vector{op.real(4), op.real(5)}},
                          {Attr::max_candidates, op.integer(6)},
                          {Attr::max_output, op.integer(7)},
                          {Attr::iou_threshold, op.real(8)},
                          {Attr::min_size, op.real(9)},
                          {Attr::empty_row, 1}};
  const std::vector<Value> inputs{to_nhwc(op.graph, op.in(0), is_nchw), to_nhwc(op.graph, op.in(1), is_nchw),
                                  boxes_of(op, 2), sizes};
  const std::vector<Value> results = op.graph.emit_all(Op::generate_proposals, inputs, settings,
                                                       {op.result_type(0), box_type(sizes), {DType::i32}});
  op.set(0, results[0]);
  set_boxes(op, 1, results[1]);
  op.set(2, results[2]);
  op.set_row_marker(2);
}

void lower_heatmap(Lowering& op) {
  const Value boxes = boxes_of(op, 1);
  const Value maps = to_nhwc(op.graph, op.in(0), op.flag(2));
  const std::vector<Value> results =
      op.graph.emit_all(Op::heatmap_max_keypoint, {maps, boxes}, {}, {op.result_type(0), box_type(boxes)});
  op.set(0, results[0]);
  set_boxes(op, 1, results[1]);
}

Settings region_settings(Lowering& op) {
  return {{Attr::new_height, op.integer(3)},
          {Attr::new_width, op.integer(4)},
          {Attr::stride, std::vector{op.real(5), op.real(6)}}};
}

void set_regions(Lowering& op, Op core, Settings settings, bool is_nchw) {
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  const RegionLimits limits{.image_count = data.dim(0),
                            .height = double(data.dim(1)) * op.real(5),
                            .width = double(data.dim(2)) * op.real(6)};
  settings.push_back({Attr::strict, !op.require_regions(1, 2, limits)});
  const Value result = op.graph.emit(core, {data, boxes_of(op, 1), op.in(2)}, settings, op.result_type());
  op.set(0, from_nhwc(op.graph, result, is_nchw));
}

void lower_roi_align(Lowering& op) {
  Settings settings = region_settings(op);
  settings.push_back({Attr::sampling_ratio, std::vector{op.integer(7), op.integer(8)}});
  settings.push_back({Attr::half_pixel, 0});
  set_regions(op, Op::roi_align, std::move(settings), op.flag(9));
}

void lower_roi_pooling(Lowering& op) { set_regions(op, Op::roi_pooling, region_settings(op), op.flag(7)); }

// Scales and limits in the core's form; column 0 of the scores is the background.
Settings detection_settings(Lowering& op, int64_t classes) {
  const bool is_regular = op.flag(7);
  const int64_t columns = std::max<int64_t>(classes - 1, 1);
  return {{Attr::scale, std::vector{op.real(5), op.real(6), op.real(4), op.real(3)}},
          {Attr::use_regular_nms, is_regular},
          {Attr::max_detections, op.integer(8)},
          {Attr::max_classes, is_regular ? int64_t{1} : op.integer(9)},
          {Attr::detections_per_class, is_regular ? op.integer(10) : int64_t{0}},
          {Attr::score_threshold, op.real(11)},
          {Attr::iou_threshold, op.real(12)},
          {Attr::num_classes, columns}};
}

// Adds the background to the labels if requested; labels of unused entries stay 0.
Value labelled(Lowering& op, const Value& classes, const Value& count) {
  if (!op.flag(13)) return classes;
  GraphWriter& graph = op.graph;
  std::vector<int64_t> positions(size_t(classes.dim(1)));
  std::iota(positions.begin(), positions.end(), 0);
  const Value places = cast(graph, graph.integers(positions), DType::f32);
  const Value used = graph.emit(Op::less, {places, count}, {}, {DType::boolean});
  return add(graph, classes, cast(graph, used, DType::f32));
}

// The core processes one image at a time.
void lower_detection(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value scores = cast(graph, op.in(0), DType::f32);
  const Value deltas = slice(graph, cast(graph, op.in(1), DType::f32), 2, 0, 4);
  const Value anchors = cast(graph, op.in(2), DType::f32);
  const Settings settings = detection_settings(op, scores.dim(2));
  std::vector<std::vector<Value>> images(4);
  for (int64_t image = 0; image < scores.dim(0); ++image) {
    const std::vector<Value> inputs{slice(graph, deltas, 0, image, 1), slice(graph, scores, 0, image, 1),
                                    anchors};
    const std::vector<ResultType> types(4, ResultType{DType::f32});
    std::vector<Value> results = graph.emit_all(Op::detection_post_process, inputs, settings, types);
    results[1] = labelled(op, results[1], results[3]);
    for (size_t i = 0; i < 4; ++i) images[i].push_back(std::move(results[i]));
  }
  constexpr size_t kOrder[] = {2, 0, 1, 3};  // order of the core's results: scores, boxes, classes, count
  for (size_t i = 0; i < 4; ++i)
    op.set(i, cast(graph, concat(graph, images[kOrder[i]], 0), op.result_type(i).dtype));
}

constexpr LoweringRow kDetectionLowerings[] = {
    {ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM, lower_bbox_transform},
    {ANEURALNETWORKS_BOX_WITH_NMS_LIMIT, lower_box_with_nms_limit},
    {ANEURALNETWORKS_GENERATE_PROPOSALS, lower_generate_proposals},
    {ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT, lower_heatmap},
    {ANEURALNETWORKS_ROI_ALIGN, lower_roi_align},
    {ANEURALNETWORKS_ROI_POOLING, lower_roi_pooling},
    {ANEURALNETWORKS_DETECTION_POSTPROCESSING, lower_detection},
};

}  // namespace

std::span<const LoweringRow> detection_lowerings() { return kDetectionLowerings; }

}  // namespace nnrt::nnapi
