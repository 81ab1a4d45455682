#include "core/base/counted.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/import/model_quantizer.h"
#include "tools/import/network/files/source_files.h"
#include "tools/import/write_network.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/quantize/calibration.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownLayers = 8;
constexpr size_t kSamplesOfLayers = 16;  // samples used to compare layers

struct QuantizeOptions {
  ModelOptions model;
  std::string folder, output, ranges = "mse";
  std::vector<std::string> float_nodes;
  uint32_t count = 0;  // 0: all
  bool json = false;
};

Status check_format(const std::string& path) {
  const std::filesystem::path file(path);
  NNRT_TRY(check_readable("Model", file));
  if (import::is_written(file)) return {};
  return Error{Code::unsupported, cat("Model (", path, ") does not end in .onnx, .tflite or .ms.")};
}

Status check_output(const QuantizeOptions& options) {
  if (!import::is_written(options.output))
    return invalid("Output (", options.output, ") does not end in .onnx, .tflite or .ms.");
  std::error_code error;
  if (std::filesystem::equivalent(options.output, options.model.model, error))
    return invalid("Output (", options.output, ") is the model file itself.");
  return check_writable(options.output);
}

Result<CalibrationSet> make_set(const QuantizeOptions& options) {
  CalibrationSet set;
  NNRT_ASSIGN(const import::Options reading, reading_options(options.model));
  set.shapes = reading.input_shapes;
  set.options = options.model.inputs;
  set.options.shapes.clear();
  ModelFile file;
  NNRT_ASSIGN(file.network, import::load(options.model.model, reading));
  for (const import::TensorId id : file.network->inputs) set.inputs.push_back(file.network->tensors[id]);
  NNRT_ASSIGN(set.samples, list_samples(options.folder, set.inputs.size()));
  if (options.count > 0 && options.count < set.samples.size()) {
    // Spread the chosen samples, so that with one folder per class all classes are covered.
    std::vector<Sample> chosen;
    for (size_t i = 0; i < options.count; ++i)
      chosen.push_back(set.samples[i * set.samples.size() / options.count]);
    set.samples = std::move(chosen);
  }
  NNRT_ASSIGN(set.device, choose_device(options.model, file));
  return set;
}

// The model before and after, and what quantization changes in it.
struct Quantized {
  uint64_t bytes_before = 0;
  import::QuantizedModel model;
  size_t layer_samples = 0;  // samples behind `layers`
  std::vector<LayerError> layers;
  std::vector<OutputError> outputs;
};

std::string decibel_text(double value) { return std::isinf(value) ? "exact" : fixed(value, 1); }

void print_nodes(const import::QuantizedModel& quantized) {
  std::cout << "quantized: " << counted(quantized.layers.size(), "layer") << "; "
            << counted(quantized.float_layers.size(), "node stays as it is", "nodes stay as they are");
  for (size_t i = 0; i < quantized.float_layers.size() && i < kShownLayers; ++i)
    std::cout << (i == 0 ? ": " : ", ") << printable(quantized.float_layers[i]);
  std::cout << (quantized.float_layers.size() > kShownLayers ? ", ...\n" : "\n");
}

void print_sizes(uint64_t before, uint64_t after) {
  std::cout << "file: " << byte_size(before) << " before, " << byte_size(after) << " after ("
            << fixed(100.0 * static_cast<double>(after) / static_cast<double>(before), 0) << " %)\n";
}

void print_layers(std::vector<LayerError> errors, size_t samples) {
  std::ranges::stable_sort(errors, [](const auto& a, const auto& b) { return a.sqnr() < b.sqnr(); });
  errors.resize(std::min(errors.size(), kShownLayers));
  print_with_headings(std::cout,
                      cat("\nlayers with the largest error, of ", counted(samples, "sample"), ":\n"));
  Table table({{"layer", Table::Align::left, true}, {"SQNR dB", Table::Align::right}});
  for (const LayerError& error : errors) table.add({error.label, decibel_text(error.sqnr())});
  table.print(std::cout);
  std::cout << "(SQNR: the power of the values over that of their error. At 10 dB the error is\n"
               "a third of a value, at 20 dB a tenth, at 40 dB a hundredth.)\n";
}

// How a sample becomes inputs, such as the normalization of its pixels.
Status print_inputs(const CalibrationSet& set) {
  NNRT_ASSIGN(const std::vector<Input> inputs, read_sample(set.samples[0], set.inputs, set.options));
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::cout << "input " << printable(set.inputs[i].name) << ": "
              << describe(inputs[i].array.type, inputs[i].array.shape) << ", " << printable(inputs[i].origin)
              << (set.samples.size() > 1 ? ", and so on\n" : "\n");
  }
  return {};
}

void print_outputs(const std::vector<OutputError>& errors, size_t samples) {
  using enum Table::Align;
  print_with_headings(std::cout, cat("\noutputs, float and INT8, of ", counted(samples, "sample"), ":\n"));
  Table table({{"output", left, true},
               {"max error", right},
               {"mean error", right, false, Style::plain, true},
               {"largest float", right, false, Style::plain, true},
               {"SQNR dB", right},
               {"same best class", right}});
  for (const OutputError& error : errors) {
    const std::string agreeing = error.classified == 0 ? "" : cat(error.agreeing, " of ", error.classified);
    table.add({error.name, fixed(error.largest, 5), fixed(error.mean, 5), fixed(error.magnitude, 5),
               decibel_text(decibels(error.signal, error.noise)), agreeing});
  }
  table.print(std::cout);
}

Json to_json(const QuantizeOptions& options, const CalibrationSet& set, const Quantized& quantized) {
  Json layers = Json::array(), outputs = Json::array();
  for (const LayerError& error : quantized.layers)
    layers.push_back({{"name", error.label}, {"sqnr_db", error.sqnr()}});
  for (const OutputError& error : quantized.outputs) {
    Json row{{"name", error.name},
             {"max_error", error.largest},
             {"mean_error", error.mean},
             {"largest_float", error.magnitude},
             {"sqnr_db", decibels(error.signal, error.noise)}};
    if (error.classified > 0)
      row.update({{"classified", error.classified}, {"same_best_class", error.agreeing}});
    outputs.push_back(std::move(row));
  }
  return {{"model", options.model.model},
          {"device", set.device.name},
          {"device_id", std::to_string(set.device.id)},
          {"ranges", options.ranges},
          {"samples", set.samples.size()},
          {"quantized_layers", quantized.model.layers.size()},
          {"float_nodes", quantized.model.float_layers},
          {"bytes_before", quantized.bytes_before},
          {"bytes", quantized.model.file.size()},
          {"layer_samples", quantized.layer_samples},
          {"layers", std::move(layers)},
          {"outputs", std::move(outputs)},
          {"file", options.output}};
}

// Compares the quantized model with the float one.
Status add_errors(const import::ModelQuantizer& quantizer, const CalibrationSet& set, Quantized& quantized) {
  quantized.layer_samples = std::min(kSamplesOfLayers, set.samples.size());
  NNRT_ASSIGN(quantized.layers, layer_errors(quantizer, quantized.model, set, quantized.layer_samples));
  ModelFile floats, int8;
  NNRT_ASSIGN(floats.network, quantizer.network({}, {set.shapes}));
  NNRT_ASSIGN(int8.network, import::load(std::as_bytes(std::span(quantized.model.file)), {}, {set.shapes}));
  NNRT_ASSIGN(quantized.outputs, output_errors(floats, int8, set));
  return {};
}

Status quantize_model(const QuantizeOptions& options) {
  NNRT_TRY(check_format(options.model.model));
  NNRT_TRY(check_output(options));
  NNRT_ASSIGN(const RangeMethod method, parse_range_method(options.ranges));
  NNRT_ASSIGN(import::Options reading, reading_options(options.model));
  import::SourceFiles sources(options.model.model);
  reading.sources = &sources;
  NNRT_ASSIGN(const std::unique_ptr<import::ModelQuantizer> quantizer,
              import::read_quantizer(options.model.model, options.output, options.float_nodes, reading));
  NNRT_ASSIGN(const CalibrationSet set, make_set(options));
  if (!options.json) {
    std::cout << "calibration: " << counted(set.samples.size(), "sample") << " of "
              << printable(options.folder) << " on " << set.device.name << ", ranges by " << options.ranges
              << '\n';
    NNRT_TRY(print_inputs(set));
  }
  const CatchInterrupts catches;
  NNRT_ASSIGN(const import::Ranges ranges, calibrate(*quantizer, set, method));
  Quantized quantized;
  quantized.bytes_before = sources.bytes();
  NNRT_ASSIGN(quantized.model, quantizer->quantize(ranges));
  if (!options.json) {
    print_nodes(quantized.model);
    print_sizes(quantized.bytes_before, quantized.model.file.size());
  }
  NNRT_TRY(add_errors(*quantizer, set, quantized));
  NNRT_TRY(write_file(options.output, quantized.model.file));
  if (options.json) {
    print_json(std::cout, to_json(options, set, quantized));
    return {};
  }
  print_layers(std::move(quantized.layers), quantized.layer_samples);
  print_outputs(quantized.outputs, set.samples.size());
  std::cout << "\nwrote " << printable(options.output) << '\n';
  return {};
}

}  // namespace

void add_quantize(CommandLine& app, Action& action) {
  const auto options = std::make_shared<QuantizeOptions>();
  options->model.device = "cpu";
  CommandLine command =
      app.command("quantize", "Quantizes a float model to INT8, with ranges calibrated on samples");
  command.option("MODEL", options->model.model, "Model file: .onnx, .tflite or .ms; - for standard input")
      .required();
  command
      .option("--calibrate", options->folder,
              "Samples of the model's input: images, arrays (.npy), raw elements (.bin, .raw) or cases "
              "(.jsonl), also in subfolders. For a model with several inputs: cases, or one folder per "
              "sample with a file named after each input")
      .required()
      .type_name("FOLDER");
  command.option("-o,--output", options->output, "The quantized model to write: *.onnx, *.tflite or *.ms")
      .required()
      .type_name("FILE");
  add_device_option(command, options->model, "gpu, cpu, auto, an id, or a name or part of it; default: cpu");
  command
      .option("--ranges", options->ranges,
              "How the range of a value is chosen: minmax (the full observed range), percentile (without "
              "the outermost 0.01 % on either side), or mse (the smallest error of rounding and clipping)")
      .one_of("minmax|percentile|mse")
      .shows_default();
  command
      .option("--float", options->float_nodes,
              "Keep this node (by its name or its output's), or all nodes of this operator, in float")
      .type_name("NAME")
      .one_value();
  command.option("--samples", options->count, "Number of samples to use; default: all").positive();
  add_reading_options(command, options->model);
  add_image_options(command, options->model);
  add_json_option(command, options->json);
  command.footer(
      "\nExample: nnrt quantize mobilenet.onnx --calibrate photos -o int8.onnx \\\n"
      "           --mean 123.7,116.3,103.5 --scale 1/58.4,1/57.1,1/57.4");
  set_model_action(command, action, options->model, [options] { return quantize_model(*options); });
}

}  // namespace nnrt::tool
