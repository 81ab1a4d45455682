// Runs of a model on samples: the ranges of its values, and what quantization changes.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/samples.h"
#include "tools/nnrt/quantize/range_choice.h"
#include "tools/nnrt/session/executable.h"

namespace nnrt::tool {

struct CalibrationSet {
  std::vector<Sample> samples;
  InputOptions options;  // for images; their shapes are in `shapes`
  InputShapes shapes;
  Device device;
};

// A value that was not finite in some run, or whose magnitude is that of a mask, has no range.
Result<import::Ranges> calibrate(const import::ModelQuantizer& quantizer, const CalibrationSet& set,
                                 RangeMethod method);

// The signal to noise ratio of a value in the quantized model, in decibels.
struct LayerError {
  std::string label;
  double signal = 0, noise = 0;  // sums of squares

  double sqnr() const;  // infinite where nothing differs
};

// By layer, in the model's order. `count` samples, from the first one on, are looked at.
Result<std::vector<LayerError>> layer_errors(const std::string& float_file,
                                             const import::QuantizedModel& quantized,
                                             const CalibrationSet& set, size_t count);

// The outputs of both models over all samples.
struct OutputError {
  std::string name;
  double largest = 0, mean = 0, magnitude = 0;  // the first two for the difference, the last for the floats
  double signal = 0, noise = 0;
  size_t elements = 0;
  size_t classified = 0, agreeing = 0;  // samples of a classifier, and those with the same best class
};

Result<std::vector<OutputError>> output_errors(const ModelFile& floats, const ModelFile& quantized,
                                               const CalibrationSet& set);

double decibels(double signal, double noise);

}  // namespace nnrt::tool
