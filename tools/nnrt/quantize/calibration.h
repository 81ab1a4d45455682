// Runs a model on samples, to find the ranges of its values and the error of quantization.
#pragma once

#include "tools/import/model_quantizer.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/samples.h"
#include "tools/nnrt/quantize/range_choice.h"
#include "tools/nnrt/session/executable.h"

namespace nnrt::tool {

struct CalibrationSet {
  std::vector<Sample> samples;
  std::vector<import::Tensor> inputs;  // of the model
  InputOptions options;                // for images; input shapes are in `shapes`
  InputShapes shapes;
  Device device;
};

// A value that was non-finite in any run, or as large as a mask value, gets no range.
Result<import::Ranges> calibrate(const import::ModelQuantizer& quantizer, const CalibrationSet& set,
                                 RangeMethod method);

// The error of a value in the quantized model.
struct LayerError {
  std::string label;
  double signal = 0, noise = 0;  // sums of squares

  double sqnr() const;  // in decibels; infinite without differences
};

// By layer, in the model's order, over the first `count` samples.
Result<std::vector<LayerError>> layer_errors(const import::ModelQuantizer& quantizer,
                                             const import::QuantizedModel& quantized,
                                             const CalibrationSet& set, size_t count);

// Differences of one output between both models, over all samples.
struct OutputError {
  std::string name;
  double largest = 0, mean = 0, magnitude = 0;  // largest and mean difference; magnitude of the float output
  double signal = 0, noise = 0;
  size_t elements = 0;
  size_t classified = 0, agreeing = 0;  // samples of a classifier, and those with the same top class
};

Result<std::vector<OutputError>> output_errors(const ModelFile& floats, const ModelFile& quantized,
                                               const CalibrationSet& set);

double decibels(double signal, double noise);

}  // namespace nnrt::tool
