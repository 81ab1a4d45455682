// Operators that fit no other family.
#include "core/schema/rules.h"

#include <algorithm>

namespace nnrt {
namespace {

Result<Shapes> assert_shape(const NodeView& node) {
  NNRT_TRY(require_one_element(node, 0));
  return Shapes{node.shape(1)};
}

OpSchema assertion() {
  return {.op = Op::assert_,
          .copy = true,
          .inputs = {{.name = "condition", .dtypes = DType::boolean}, {.name = "data", .dtypes = kAny}},
          .params = {integer_param(Param::assert_summarize, Attr::summarize, 0)},
          .outputs = {{.name = "output", .same_as = 1}},
          .infer = assert_shape};
}

Status require_positive(const Attrs& attrs, Attr attr, std::string_view what) {
  const int64_t value = attrs.integer(attr);
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  if (value >= 1 && value <= kLargest) return {};
  return invalid(what, " (", value, ") is outside [1, ", kLargest, "].");
}

Status check_detection_params(const Attrs& attrs) {
  NNRT_TRY(require_positive(attrs, Attr::max_detections, "The maximum number of detections"));
  NNRT_TRY(require_positive(attrs, Attr::max_classes, "The maximum number of classes per detection"));
  NNRT_TRY(require_positive(attrs, Attr::num_classes, "The number of classes"));
  if (attrs.flag(Attr::use_regular_nms)) {
    NNRT_TRY(require_positive(attrs, Attr::detections_per_class, "The number of detections per class"));
  }
  const std::span<const double> scale = attrs.floats(Attr::scale);
  if (std::find(scale.begin(), scale.end(), 0.0) != scale.end()) return invalid("A scale is 0.");
  return {};
}

Result<Shapes> detection_shapes(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  NNRT_TRY(check_detection_params(attrs));
  NNRT_TRY(require_rank(node, 0, 3, 3));
  NNRT_TRY(require_rank(node, 1, 3, 3));
  NNRT_TRY(require_rank(node, 2, 2, 2));
  for (size_t i = 0; i <= 1; ++i) NNRT_TRY(require_dimension(node, i, 0, 1, "the only batch"));
  NNRT_TRY(require_dimension(node, 0, 2, 4, "the length of a box"));
  NNRT_TRY(require_dimension(node, 2, 1, 4, "the length of an anchor"));
  const int64_t boxes = std::max(node.shape(0)[1], node.shape(2)[0]);
  NNRT_TRY(require_dimension(node, 0, 1, boxes, "the number of anchors"));
  NNRT_TRY(require_dimension(node, 1, 1, boxes, "the number of boxes"));
  NNRT_TRY(require_dimension(node, 2, 0, boxes, "the number of boxes"));
  const int64_t columns = node.shape(1)[2];
  const int64_t classes = attrs.integer(Attr::num_classes);
  if (columns >= 0 && columns != classes && columns != classes + 1) {
    return invalid("The columns of the scores (", columns, ") are neither ", classes, " nor ", classes + 1,
                   ".");
  }
  const int64_t rows = attrs.integer(Attr::max_detections) * attrs.integer(Attr::max_classes);
  return Shapes{{1, rows, 4}, {1, rows}, {1, rows}, {1}};
}

OutputRow result(std::string_view name) {
  return {.name = name, .rule = DTypeRule::fixed, .dtypes = DType::f32};
}

ParamRow detection_scale() {
  return required({Param::detection_post_process_scale, Attr::scale, DType::f32, {4, 4}});
}

OpSchema detection_post_process() {
  return {
      .op = Op::detection_post_process,
      .inputs = {{.name = "bbox", .dtypes = DType::f32},
                 {.name = "scores", .dtypes = DType::f32},
                 {.name = "anchors", .dtypes = DType::f32}},
      .params = {integer_param(Param::detection_post_process_input_size, Attr::input_size, 0),
                 detection_scale(),
                 real_param(Param::detection_post_process_nms_iou_threshold, Attr::iou_threshold, 0),
                 real_param(Param::detection_post_process_nms_score_threshold, Attr::score_threshold, 0),
                 required(integer_param(Param::detection_post_process_max_detections, Attr::max_detections)),
                 integer_param(Param::detection_post_process_detections_per_class, Attr::detections_per_class,
                               0),
                 required(integer_param(Param::detection_post_process_max_classes_per_detection,
                                        Attr::max_classes)),
                 required(integer_param(Param::detection_post_process_num_classes, Attr::num_classes)),
                 flag_param(Param::detection_post_process_use_regular_nms, Attr::use_regular_nms),
                 flag_param(Param::detection_post_process_out_quantized, Attr::out_quantized)},
      .outputs = {result("bboxes"), result("classes"), result("confidences"), result("numDetections")},
      .infer = detection_shapes};
}

}  // namespace

std::vector<OpSchema> special_rows() { return {assertion(), detection_post_process()}; }

}  // namespace nnrt
