// Custom operators, whose options are a map of names and numbers in FlexBuffers' encoding.
#include "tools/import/tflite/tflite_operators.h"

#include <flatbuffers/flexbuffers.h>

#include <cmath>

namespace nnrt::import::tflite {
namespace {

// A copy: keys of a damaged map may lack their end, and find it after the last byte.
class Options {
 public:
  static Result<Options> read(const Operator& op) {
    Options options;
    if (const auto* bytes = op.table().custom_options()) options.bytes_.assign(bytes->begin(), bytes->end());
    const size_t size = options.bytes_.size();
    options.bytes_.resize(size + 1);
    std::vector<uint8_t> seen;
    if (size < 3 || size > kMaxBytes || !flexbuffers::VerifyBuffer(options.bytes_.data(), size, &seen))
      return op.damaged("has damaged options");
    if (!flexbuffers::GetRoot(options.bytes_.data(), size).IsMap())
      return op.damaged("has options that are no map");
    return options;
  }

  float real(const char* name) const { return value(name).AsFloat(); }
  // 0 for a number that is none of 64 bits.
  int64_t integer(const char* name) const {
    const auto found = value(name);
    constexpr double kMax = 0x1p62;
    return found.IsFloat() && !(std::abs(found.AsDouble()) < kMax) ? 0 : found.AsInt64();
  }
  // AsBool() would convert a float to an integer, which may not have it.
  bool flag(const char* name) const {
    const auto found = value(name);
    return found.IsFloat() ? found.AsDouble() != 0 : found.AsBool();
  }

 private:
  static constexpr size_t kMaxBytes = 1 << 16;

  // Null, which reads as 0, if there is no number of the name.
  flexbuffers::Reference value(const char* name) const {
    const auto found = flexbuffers::GetRoot(bytes_.data(), bytes_.size() - 1).AsMap()[name];
    return found.IsNumeric() || found.IsBool() ? found : flexbuffers::Reference();
  }

  std::vector<uint8_t> bytes_;
};

// The file lacks the shapes of the four results.
Status detection_post_process(Operator& op) {
  NNRT_ASSIGN(const Options options, Options::read(op));
  if (op.output_count() != 4) return op.damaged("needs four outputs");
  const int64_t max = options.integer("max_detections"), each = options.integer("max_classes_per_detection");
  constexpr int64_t kMax = 1 << 20;
  if (max < 1 || each < 1 || max > kMax || each > kMax || max * each > kMax)
    return op.damaged("has options without a number of detections");
  const auto rows = static_cast<int32_t>(max * each);
  const Shape shapes[] = {{1, rows, 4}, {1, rows}, {1, rows}, {1}};
  std::vector<TensorId> results;
  for (size_t i = 0; i < 4; ++i) {
    op.build().tensor(op.output(i)).shape = shapes[i];
    results.push_back(op.result(i));
  }
  NNRT_ASSIGN(std::vector<TensorId> operands, op.operands());
  op.build().operation(
      OH_NN_OPS_DETECTION_POST_PROCESS, std::move(operands), std::move(results),
      {floats_parameter(OH_NN_DETECTION_POST_PROCESS_SCALE,
                        {options.real("h_scale"), options.real("w_scale"), options.real("x_scale"),
                         options.real("y_scale")}),
       float_parameter(OH_NN_DETECTION_POST_PROCESS_NMS_IOU_THRESHOLD, options.real("nms_iou_threshold")),
       float_parameter(OH_NN_DETECTION_POST_PROCESS_NMS_SCORE_THRESHOLD, options.real("nms_score_threshold")),
       int64_parameter(OH_NN_DETECTION_POST_PROCESS_MAX_DETECTIONS, max),
       int64_parameter(OH_NN_DETECTION_POST_PROCESS_DETECTIONS_PER_CLASS,
                       options.integer("detections_per_class")),
       int64_parameter(OH_NN_DETECTION_POST_PROCESS_MAX_CLASSES_PER_DETECTION, each),
       int64_parameter(OH_NN_DETECTION_POST_PROCESS_NUM_CLASSES, options.integer("num_classes")),
       bool_parameter(OH_NN_DETECTION_POST_PROCESS_USE_REGULAR_NMS, options.flag("use_regular_nms"))});
  return {};
}

constexpr Row kCustomRows[] = {
    {BuiltinOperator::CUSTOM,
     3,
     3,
     Numbers::real,
     detection_post_process,
     OH_NN_OPS_DETECTION_POST_PROCESS,
     {},
     "TFLite_Detection_PostProcess"},
};

}  // namespace

std::span<const Row> custom_rows() { return kCustomRows; }

}  // namespace nnrt::import::tflite
