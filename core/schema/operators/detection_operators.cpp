// Object detection: proposals, suppression, keypoints.
#include "core/schema/boxes/limited_boxes.h"
#include "core/schema/boxes/proposals.h"
#include "core/schema/rules.h"

#include <cmath>

namespace nnrt {
namespace {

constexpr int64_t kBox = 4;  // x1, y1, x2, y2

// Boxes are float16 if the data is float16, otherwise float32, also for quantized INT8.
Status check_box_dtype(const NodeView& node, size_t input) {
  const DType wanted = node.dtype() == DType::f16 ? DType::f16 : DType::f32;
  if (node.dtype(input) == wanted) return {};
  return invalid("Dtype of ", describe_input(node, input), " (", name(node.dtype(input)), ") is not ",
                 name(wanted), " for data of ", name(node.dtype()), ".");
}

template <size_t... inputs>
Status check_box_dtypes(const NodeView& node) {
  for (const size_t input : {inputs...}) NNRT_TRY(check_box_dtype(node, input));
  return {};
}

InputRow deciding(InputRow row) {
  row.value = true;
  return row;
}

InputRow box_input(std::string_view name) { return {.name = name, .dtypes = kFloat}; }

OutputRow index_output(std::string_view name) {
  return {.name = name, .rule = DTypeRule::fixed, .dtypes = DType::i32};
}

// Dimension 1 of the input is a multiple of a box.
Status require_boxes(const NodeView& node, size_t input) {
  NNRT_TRY(require_rank(node, input, 2, 2));
  const int64_t length = node.shape(input)[1];
  if (length < 0 || length % kBox == 0) return {};
  return invalid("Dimension 1 of ", describe_input(node, input), " (", length, ") is not divisible by ", kBox,
                 ".");
}

Result<Shapes> bbox_transform_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 2, 2));
  NNRT_TRY(require_boxes(node, 1));
  NNRT_TRY(require_rank(node, 3, 2, 2));
  const int64_t regions = node.shape(0)[0];
  NNRT_TRY(require_dimension(node, 0, 1, kBox, "the four numbers of a region"));
  NNRT_TRY(require_dimension(node, 1, 0, regions, "the number of regions"));
  NNRT_TRY(require_vector(node, 2, regions, "the number of regions"));
  NNRT_TRY(require_dimension(node, 3, 1, 2, "height and width"));
  return Shapes{{regions < 0 ? node.shape(1)[0] : regions, node.shape(1)[1]}};
}

Status check_delta_dtype(const NodeView& node) {
  NNRT_TRY(check_box_dtype(node, 3));
  if (node.dtype(1) == node.dtype() || (node.dtype(1) == DType::i8 && node.dtype() == DType::f32)) return {};
  return invalid("Dtype of the deltas (", name(node.dtype(1)), ") does not match that of the regions (",
                 name(node.dtype()), ").");
}

OpSchema axis_aligned_bbox_transform() {
  return {.op = Op::axis_aligned_bbox_transform,
          .quantized = true,
          .inputs = {box_input("regions"),
                     quantized_input("deltas"),
                     {.name = "batchIndices", .dtypes = DType::i32},
                     box_input("sizes")},
          .params = {flag_param(Param::axis_aligned_bbox_transform_strict, Attr::strict, true)},
          .outputs = {{.name = "output"}},
          .infer = bbox_transform_shape,
          .check = check_delta_dtype};
}

Result<Shapes> box_with_nms_limit_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 2, 2));
  NNRT_TRY(require_boxes(node, 1));
  const int64_t rows = node.shape(0)[0], classes = node.shape(0)[1];
  NNRT_TRY(require_dimension(node, 1, 0, rows, "the number of rows of the scores"));
  if (classes >= 0) NNRT_TRY(require_dimension(node, 1, 1, kBox * classes, "four for each class"));
  NNRT_TRY(require_vector(node, 2, rows, "the number of rows of the scores"));
  if (!are_known(node, 3)) return Shapes{{kUnknown}, {kUnknown, kBox}, {kUnknown}, {kUnknown}};
  NNRT_ASSIGN(const std::vector<LimitedBox> boxes, limited_boxes(node));
  NNRT_ASSIGN(const int64_t count, row_count(node, boxes.size()));
  return Shapes{{count}, {count, kBox}, {count}, {count}};
}

OpSchema box_with_nms_limit() {
  return {.op = Op::box_with_nms_limit,
          .quantized = true,
          .inputs = {deciding(quantized_input("scores")),
                     deciding(box_input("boxes")),
                     {.name = "batchIndices", .dtypes = DType::i32, .value = true}},
          .params = {real_param(Param::box_with_nms_limit_score_threshold, Attr::score_threshold, 0),
                     integer_param(Param::box_with_nms_limit_max_detections, Attr::max_detections, -1),
                     integer_param(Param::box_with_nms_limit_mode, Attr::mode, 0),
                     real_param(Param::box_with_nms_limit_iou_threshold, Attr::iou_threshold, 0),
                     real_param(Param::box_with_nms_limit_sigma, Attr::sigma, 1),
                     real_param(Param::box_with_nms_limit_nms_score_threshold, Attr::nms_score_threshold, 0),
                     flag_param(Param::box_with_nms_limit_empty_row, Attr::empty_row)},
          .outputs = {{.name = "outputScores"},
                      {.name = "outputBoxes", .same_as = 1},
                      index_output("classes"),
                      index_output("outputBatchIndices")},
          .infer = box_with_nms_limit_shape,
          .check = check_box_dtypes<1>};
}

Status check_anchor_strides(const Attrs& attrs) {
  for (const double stride : attrs.floats(Attr::stride)) {
    if (!std::isfinite(stride)) return invalid("Stride (", stride, ") is not finite.");
  }
  return {};
}

Result<Shapes> generate_proposals_shape(const NodeView& node) {
  NNRT_TRY(check_anchor_strides(node.attrs()));
  for (size_t i = 0; i < 4; ++i) NNRT_TRY(require_rank(node, i, i < 2 ? 4 : 2, i < 2 ? 4 : 2));
  const Shape& scores = node.shape(0);
  const int64_t anchors = scores[3] < 0 ? node.shape(2)[0] : scores[3];
  NNRT_TRY(require_dimension(node, 1, 0, scores[0], "the batch"));
  NNRT_TRY(require_dimension(node, 1, 1, scores[1], "the height"));
  NNRT_TRY(require_dimension(node, 1, 2, scores[2], "the width"));
  if (anchors >= 0) NNRT_TRY(require_dimension(node, 1, 3, kBox * anchors, "four for each anchor"));
  NNRT_TRY(require_dimension(node, 2, 0, anchors, "the number of anchors"));
  NNRT_TRY(require_dimension(node, 2, 1, kBox, "the four numbers of an anchor"));
  NNRT_TRY(require_dimension(node, 3, 0, scores[0], "the batch"));
  NNRT_TRY(require_dimension(node, 3, 1, 2, "height and width"));
  if (!are_known(node, 4)) return Shapes{{kUnknown}, {kUnknown, kBox}, {kUnknown}};
  NNRT_ASSIGN(const std::vector<Proposal> found, proposals(node));
  NNRT_ASSIGN(const int64_t count, row_count(node, found.size()));
  return Shapes{{count}, {count, kBox}, {count}};
}

OpSchema generate_proposals() {
  ParamRow strides{Param::generate_proposals_strides, Attr::stride, DType::f32, {1, 2}, false, {1}, {}};
  InputRow deltas = deciding(quantized_input("deltas"));
  deltas.same_as = 0;
  return {
      .op = Op::generate_proposals,
      .quantized = true,
      .inputs = {deciding(quantized_input("scores")), deltas, deciding(box_input("anchors")),
                 deciding(box_input("sizes"))},
      .params = {strides, integer_param(Param::generate_proposals_max_candidates, Attr::max_candidates, 0),
                 integer_param(Param::generate_proposals_max_output, Attr::max_output, 0),
                 real_param(Param::generate_proposals_iou_threshold, Attr::iou_threshold, 0),
                 real_param(Param::generate_proposals_min_size, Attr::min_size, 0),
                 flag_param(Param::generate_proposals_empty_row, Attr::empty_row)},
      .outputs = {{.name = "outputScores"}, {.name = "regions", .same_as = 3}, index_output("batchIndices")},
      .infer = generate_proposals_shape,
      .check = check_box_dtypes<2, 3>};
}

Result<Shapes> keypoint_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 4, 4));
  NNRT_TRY(require_rank(node, 1, 2, 2));
  const Shape& maps = node.shape(0);
  NNRT_TRY(require_dimension(node, 0, 2, maps[1], "the height"));
  if (maps[1] == 1 || maps[2] == 1) return invalid("The size of the heatmaps (1) is below 2.");
  NNRT_TRY(require_dimension(node, 1, 0, maps[0], "the number of heatmaps"));
  NNRT_TRY(require_dimension(node, 1, 1, kBox, "the four numbers of a box"));
  const int64_t boxes = maps[0] < 0 ? node.shape(1)[0] : maps[0];
  return Shapes{{boxes, maps[3]}, {boxes, maps[3], 2}};
}

OpSchema heatmap_max_keypoint() {
  return {.op = Op::heatmap_max_keypoint,
          .quantized = true,
          .inputs = {quantized_input("heatmaps"), box_input("boxes")},
          .outputs = {{.name = "scores"}, {.name = "keypoints", .same_as = 1}},
          .infer = keypoint_shape,
          .check = check_box_dtypes<1>};
}

}  // namespace

std::vector<OpSchema> detection_rows() {
  return {axis_aligned_bbox_transform(), box_with_nms_limit(), generate_proposals(), heatmap_max_keypoint()};
}

}  // namespace nnrt
