#include "tools/nnrt/quantize/calibration.h"

#include "core/base/text.h"
#include "tools/nnrt/base/progress.h"
#include "tools/nnrt/data/model_file.h"
#include "tools/nnrt/data/results.h"
#include "tools/nnrt/session/executable.h"
#include "tools/nnrt/session/layer_outputs.h"
#include "tools/nnrt/session/sample_runner.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace nnrt::tool {
namespace {

// A model with observed values, which are read back after each run.
class ObservedModel {
 public:
  // Its outputs are observed.
  explicit ObservedModel(import::Network network) { file_.network = std::move(network); }

  // Indices of the values observed by one build, which the device's memory and the API limit.
  using Part = std::vector<size_t>;
  std::vector<Part> parts() const;
  Result<Executable> build(const Part& part, const Device& device) const;

 private:
  ModelFile file_;
};

std::vector<ObservedModel::Part> ObservedModel::parts() const {
  std::vector<LayerOutput> outputs;
  for (const import::TensorId id : file_.network->outputs)
    outputs.push_back(layer_output(*file_.network, id));
  std::vector<Part> parts;
  size_t first = 0;
  for (const std::span<const LayerOutput> part : in_parts(outputs)) {
    Part& made = parts.emplace_back(part.size());
    std::iota(made.begin(), made.end(), first);
    first += part.size();
  }
  return parts;
}

Result<Executable> ObservedModel::build(const Part& part, const Device& device) const {
  ModelFile changed = file_;
  changed.network->outputs.clear();
  for (const size_t i : part) changed.network->outputs.push_back(file_.network->outputs[i]);
  return Executable::build(changed, device, {});
}

// The elements of a FLOAT32 array; empty for other types.
std::span<const float> floats_of(const Array& array) {
  if (array.type != OH_NN_FLOAT32) return {};
  return {reinterpret_cast<const float*>(array.bytes.data()), array.bytes.size() / sizeof(float)};
}

// The tensor as FLOAT32, dequantized if needed.
Result<Array> dequantized(const import::Tensor& tensor, const Array& array) {
  NNRT_ASSIGN(Array made, make_array(OH_NN_FLOAT32, array.shape));
  for (size_t i = 0; i < array.count(); ++i) made.set(i, real({tensor, array}, i));
  return made;
}

bool has_range(const Histogram& histogram) {
  constexpr auto kLargest = static_cast<double>(import::kLargestMagnitude);
  return !histogram.empty() && histogram.is_finite() && histogram.max() < kLargest &&
         histogram.min() > -kLargest;
}

void add_squares(double& signal, double& noise, std::span<const float> want, std::span<const float> got) {
  for (size_t i = 0; i < want.size() && i < got.size(); ++i) {
    const double value = static_cast<double>(want[i]), error = value - static_cast<double>(got[i]);
    signal += value * value;
    noise += error * error;
  }
}

std::vector<Output> outputs_of(const std::vector<import::Tensor>& tensors, const std::vector<Array>& arrays) {
  std::vector<Output> outputs;
  for (size_t i = 0; i < arrays.size(); ++i) outputs.push_back({tensors[i], arrays[i]});
  return outputs;
}

Status add_output(OutputError& error, const Output& want, const Output& got) {
  NNRT_ASSIGN(const Difference difference, compare(got.array, want.array));
  const size_t compared = want.array.count() - difference.mismatches;
  error.largest = std::max(error.largest, difference.largest);
  error.magnitude = std::max(error.magnitude, difference.magnitude);
  if (compared > 0) error.mean += difference.mean * static_cast<double>(compared);
  error.elements += compared;
  add_squares(error.signal, error.noise, floats_of(want.array), floats_of(got.array));
  return {};
}

}  // namespace

double decibels(double signal, double noise) {
  return noise == 0 ? INFINITY : 10 * std::log10(std::max(signal, 1e-300) / noise);
}

double LayerError::sqnr() const { return decibels(signal, noise); }

Result<import::Ranges> calibrate(const import::ModelQuantizer& quantizer, const CalibrationSet& set,
                                 RangeMethod method) {
  const std::vector<import::TensorId> values = quantizer.values();
  NNRT_ASSIGN(import::Network network, quantizer.network(values, {set.shapes}));
  const ObservedModel model(std::move(network));
  std::vector<Histogram> histograms(values.size());
  const std::vector<ObservedModel::Part> parts = model.parts();
  Progress progress("calibration", parts.size() * set.samples.size());
  for (const ObservedModel::Part& part : parts) {
    NNRT_ASSIGN(Executable executable, model.build(part, set.device));
    SampleRunner runner(std::move(executable), set.options);
    for (const Sample& sample : set.samples) {
      NNRT_ASSIGN(const std::vector<Array> outputs, runner.run(sample));
      for (size_t i = 0; i < part.size(); ++i) histograms[part[i]].add(floats_of(outputs[i]));
      progress.step();
    }
  }
  import::Ranges ranges;
  for (size_t i = 0; i < values.size(); ++i) {
    if (has_range(histograms[i])) ranges.emplace(values[i], choose_range(histograms[i], method));
  }
  return ranges;
}

Result<std::vector<LayerError>> layer_errors(const import::ModelQuantizer& quantizer,
                                             const import::QuantizedModel& quantized,
                                             const CalibrationSet& set, size_t count) {
  std::vector<import::TensorId> values, quantized_values;
  std::vector<LayerError> errors;
  for (const import::QuantizedLayer& layer : quantized.layers) {
    values.push_back(layer.value);
    quantized_values.push_back(layer.quantized);
    errors.push_back({layer.label, 0, 0});
  }
  NNRT_ASSIGN(import::Network float_network, quantizer.network(values, {set.shapes}));
  NNRT_ASSIGN(import::Network int8_network, quantized.network(quantized_values, {set.shapes}));
  const ObservedModel floats(std::move(float_network)), int8(std::move(int8_network));
  count = std::min(count, set.samples.size());
  const std::vector<ObservedModel::Part> parts = floats.parts();
  Progress progress("layers", parts.size() * count);
  for (const ObservedModel::Part& part : parts) {
    NNRT_ASSIGN(Executable want_executable, floats.build(part, set.device));
    NNRT_ASSIGN(Executable got_executable, int8.build(part, set.device));
    SampleRunner want_runner(std::move(want_executable), set.options),
        got_runner(std::move(got_executable), set.options);
    for (const Sample& sample : std::span(set.samples).first(count)) {
      NNRT_ASSIGN(const std::vector<Array> want, want_runner.run(sample));
      NNRT_ASSIGN(const std::vector<Array> got, got_runner.run(sample));
      for (size_t i = 0; i < part.size(); ++i) {
        LayerError& error = errors[part[i]];
        NNRT_ASSIGN(const Array plain, dequantized(got_runner.executable().outputs()[i], got[i]));
        add_squares(error.signal, error.noise, floats_of(want[i]), floats_of(plain));
      }
      progress.step();
    }
  }
  return errors;
}

Result<std::vector<OutputError>> output_errors(const ModelFile& floats, const ModelFile& quantized,
                                               const CalibrationSet& set) {
  NNRT_ASSIGN(Executable want_executable, Executable::build(floats, set.device, {}));
  NNRT_ASSIGN(Executable got_executable, Executable::build(quantized, set.device, {}));
  SampleRunner want_runner(std::move(want_executable), set.options),
      got_runner(std::move(got_executable), set.options);
  const std::vector<import::Tensor>& outputs = want_runner.executable().outputs();
  std::vector<OutputError> errors;
  for (const import::Tensor& output : outputs) errors.emplace_back().name = output.name;
  for (const Sample& sample : set.samples) {
    NNRT_ASSIGN(const std::vector<Array> want_arrays, want_runner.run(sample));
    NNRT_ASSIGN(const std::vector<Array> got_arrays, got_runner.run(sample));
    const std::vector<Output> want = outputs_of(outputs, want_arrays), got = outputs_of(outputs, got_arrays);
    for (size_t i = 0; i < outputs.size(); ++i) {
      NNRT_TRY(add_output(errors[i], want[i], got[i]));
      if (!is_classifier(want, i)) continue;
      ++errors[i].classified;
      errors[i].agreeing += best_classes(want[i], 1).front().number == best_classes(got[i], 1).front().number;
    }
  }
  for (OutputError& error : errors) error.mean /= static_cast<double>(std::max<size_t>(error.elements, 1));
  return errors;
}

}  // namespace nnrt::tool
