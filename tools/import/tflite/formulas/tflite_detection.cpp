// Detection, as written by TensorFlow's object detectors.
#include "tools/import/tflite/formulas/tflite_custom_options.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <flatbuffers/flexbuffers.h>

#include <array>

namespace nnrt::import::tflite {
namespace {

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

constexpr Row kDetectionRows[] = {
    {BuiltinOperator::CUSTOM, 3, 3, Numbers::real, detection_post_process, Op::detection_post_process,
     write_detection, "TFLite_Detection_PostProcess"},
};

}  // namespace

std::span<const Row> detection_rows() { return kDetectionRows; }

}  // namespace nnrt::import::tflite
