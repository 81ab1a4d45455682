#include "tests/import/tflite_writer.h"

#include <flatbuffers/flexbuffers.h>

namespace nnrt::test {

TEST(Detection, ScalesAndThresholdsComeFromTheOptions) {
  flexbuffers::Builder options;
  options.Map([&] {
    options.Int("max_detections", 2);
    options.Int("max_classes_per_detection", 1);
    options.Int("num_classes", 2);
    options.Float("y_scale", 10);
    options.Float("x_scale", 5);
    options.Float("h_scale", 4);
    options.Float("w_scale", 2);
    options.Float("nms_iou_threshold", 0.5);
    options.Float("nms_score_threshold", 0.25);
    options.Bool("use_regular_nms", false);
  });
  options.Finish();

  // The box moves by 10/10 heights and 5/5 widths; its size is unchanged.
  const Operand boxes = uint8({1, 1, 4}, {10, 5, 0, 0}, 1, 0), scores = floats({1, 1, 3}, {0.1, 0.2, 0.75});
  for (const Operand& anchors : {constant(floats({1, 4}, {0.5, 0.5, 0.25, 0.5})),
                                 constant(uint8({1, 4}, {132, 132, 130, 132}, 0.125f, 128)),
                                 constant(int8({1, 4}, {1, 1, -1, 1}, 0.125f, -3))}) {
    TfliteWriter writer;
    const std::vector<int32_t> inputs{writer.input(boxes), writer.input(scores), writer.tensor(anchors)};
    std::vector<int32_t> outputs;
    for (int i = 0; i < 4; ++i) {
      outputs.push_back(writer.tensor(floats({}, {})));
      writer.output(outputs.back());
    }
    writer.add_custom("TFLite_Detection_PostProcess", inputs, outputs, options.GetBuffer());
    check_run(writer.finish(), {boxes, scores, anchors},
              {floats({1, 2, 4}, {0.625, 0.75, 0.875, 1.25, 0, 0, 0, 0}), floats({1, 2}, {1, 0}),
               floats({1, 2}, {0.75, 0}), floats({1}, {1})},
              {}, 1e-5);
  }
}

}  // namespace nnrt::test
