#include "tools/nnrt/command/command_options.h"

#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/nnrt/base/progress.h"
#include "tools/nnrt/quantize/rounding_error.h"
#include "tools/nnrt/session/cached_model.h"
#include "tools/nnrt/session/usual_shapes.h"

#include <algorithm>
#include <iostream>

namespace nnrt::tool {

void add_model_options(CommandLine& command, ModelOptions& options, const char* description) {
  command.option("MODEL", options.model, description).required();
  command.flag("--fp16", options.build.float16, "Allow float16 inside the model");
  add_cache_options(command, options);
  command.flag("--no-fallback", options.build.fallback,
               "Fail instead of running operations on the CPU that the device does not support", false);
}

void add_cache_options(CommandLine& command, ModelOptions& options) {
  command
      .option("--cache", options.build.cache,
              "Cache compiled models in this directory, which is created if needed")
      .type_name("DIR");
  command.flag("--cache-by-content", options.build.cache_by_content,
               "Recognize a cached model by a checksum of its files instead of their paths and time stamps");
}

void add_tolerance_option(CommandLine& command, std::optional<double>& tolerance) {
  command
      .option("--tolerance", tolerance,
              "Largest difference tolerated between devices. Default: for floats 1e-3 of the output's "
              "largest magnitude (2e-2 with --fp16 or FLOAT16), at least 1e-5; for 8-bit integers 2; for "
              "floats after quantized layers 2 quantization steps; otherwise 0")
      .not_negative();
}

void add_json_option(CommandLine& command, bool& json) { command.flag("--json", json, "Print JSON"); }

void add_device_option(CommandLine& command, ModelOptions& options, const char* description) {
  command.option("-d,--device", options.device, description).type_name("DEVICE").when_given([&options] {
    options.device_given = true;
  });
}

void add_reading_options(CommandLine& command, ModelOptions& options) {
  command.option("--shape", options.inputs.shapes, "Shape of an input: NAME=1,224,224,3")
      .type_name("NAME=SHAPE")
      .one_value();
  command
      .option("--allow-external", options.external_folders,
              "Allow links to external data of an ONNX model to point into this folder, besides the "
              "model's own")
      .type_name("DIR")
      .one_value();
}

void add_input_options(CommandLine& command, ModelOptions& options) {
  command
      .option(
          "-i,--input", options.inputs.inputs,
          "NAME=VALUE, or VALUE if the model has one input. A value is an image (PNG, JPEG, WebP, "
          "BMP), an array (.npy), an archive of arrays (.npz; without NAME for all inputs in it), a "
          "file of raw elements, - for any of these from standard input, zeros, ones, random or random:SEED")
      .type_name("NAME=VALUE")
      .one_value();
  add_reading_options(command, options);
  add_image_options(command, options);
}

void add_image_options(CommandLine& command, ModelOptions& options) {
  command
      .option("--mean", options.inputs.mean,
              "Images: value = (pixel - mean) * scale; one number, or one per channel")
      .type_name("M[,M,M]")
      .one_value();
  command.option("--scale", options.inputs.scale, "Images: see --mean; may be a fraction such as 1/127.5")
      .type_name("S[,S,S]")
      .one_value();
}

Result<import::Options> reading_options(const ModelOptions& options) {
  NNRT_ASSIGN(import::InputShapes shapes, parse_shapes(options.inputs.shapes));
  import::Options reading = options.reading;
  shapes.merge(reading.input_shapes);
  reading.input_shapes = std::move(shapes);
  reading.open_dimensions = shapes_of_arrays(options.inputs);
  reading.external_folders.assign(options.external_folders.begin(), options.external_folders.end());
  return reading;
}

namespace {

// Other files are compiled models and cases.
bool is_imported(const std::filesystem::path& model) {
  return model.extension() != ".nnrt" && model.extension() != ".jsonl";
}

Result<ModelFile> open(const ModelOptions& options, import::SourceFiles& sources) {
  NNRT_ASSIGN(import::Options reading, reading_options(options));
  reading.sources = &sources;
  const Progress progress("reading " + options.model);
  NNRT_ASSIGN(ModelFile file, open_model(options.model, reading));
  file.bytes = sources.bytes();
  if (file.network) return file;
  NNRT_ASSIGN(auto description, description_of_offline_model(options.model));
  if (description) set_description(file, *std::move(description));
  return file;
}

}  // namespace

Result<ModelFile> open(const ModelOptions& options) {
  import::SourceFiles sources(options.model);
  NNRT_ASSIGN(ModelFile file, open(options, sources));
  if (file.network) NNRT_TRY(import::read_weights(*file.network));
  return file;
}

std::vector<Tolerance> tolerances_of(const std::optional<double>& given, bool float16, const ModelFile& file,
                                     size_t outputs) {
  std::vector<Tolerance> tolerances(outputs, {given, {float16}});
  if (!file.network) return tolerances;
  const std::vector<RoundingError> errors = rounding_errors(*file.network);
  for (size_t i = 0; i < std::min(outputs, errors.size()); ++i) {
    tolerances[i].precision.codes = errors[i].codes();
    tolerances[i].precision.step = errors[i].step;
  }
  return tolerances;
}

namespace {

Result<Device> asked_device(const ModelOptions& options) {
  auto device = find_device(options.device);
  return device.ok() || options.device_given ? std::move(device) : first_device();
}

// An offline model runs only on the device it was compiled for.
Result<Device> device_for(const OfflineModelDevice& maker, const ModelOptions& options) {
  auto device = options.device_given ? find_device(options.device) : find_device(maker.id);
  if (!device.ok() && !options.device_given) {
    return Error{Code::failed, cat("Offline model (", options.model, ") was compiled for device ", maker.name,
                                   ", which is not available.")};
  }
  if (!device.ok() || std::to_string(device.value().id) == maker.id) return device;
  return Error{Code::failed, cat("Offline model (", options.model, ") was compiled for device ", maker.name,
                                 ", and cannot run on ", device.value().name, ".")};
}

}  // namespace

Result<Device> choose_device(const ModelOptions& options, const ModelFile& file) {
  if (file.network) return asked_device(options);
  NNRT_ASSIGN(const auto maker, device_of_offline_model(options.model));
  return maker ? device_for(*maker, options) : asked_device(options);
}

namespace {

// Empty if there is no current cache, or it cannot be restored: then the model is built from its file.
Result<std::optional<ReadyModel>> restore_cached(const ModelOptions& options,
                                                 const std::function<void(const Device&)>& tell) {
  if (options.build.cache.empty() || !is_imported(options.model)) return std::optional<ReadyModel>();
  NNRT_ASSIGN(const import::Options reading, reading_options(options));
  NNRT_ASSIGN(const Device device, asked_device(options));
  std::optional<ModelFile> file =
      find_cached(cache_key(options.model, reading, options.build), device, options.build);
  if (!file) return std::optional<ReadyModel>();
  tell(device);
  auto executable = Executable::build(*file, device, options.build);
  if (!executable.ok()) return std::optional<ReadyModel>();
  return std::optional(ReadyModel{*std::move(file), std::move(executable).value()});
}

// With a note, so that the next start finds the cache that Build saves.
Result<ModelFile> open_for_cache(const ModelOptions& options) {
  if (options.build.cache.empty() || !is_imported(options.model)) return open(options);
  import::SourceFiles sources(options.model);
  NNRT_ASSIGN(ModelFile file, open(options, sources));
  NNRT_ASSIGN(const import::Options reading, reading_options(options));
  file.cache_note = import::make_cache_note(cache_key(options.model, reading, options.build), sources,
                                            {file.description, {}});
  return file;
}

}  // namespace

Result<ReadyModel> make_ready(const ModelOptions& options, const std::function<void(const Device&)>& tell) {
  NNRT_ASSIGN(std::optional<ReadyModel> restored, restore_cached(options, tell));
  if (restored) return *std::move(restored);
  NNRT_ASSIGN(ModelFile file, open_for_cache(options));
  NNRT_ASSIGN(const Device device, choose_device(options, file));
  tell(device);
  NNRT_ASSIGN(Executable executable, Executable::build_once(file, device, options.build));
  return ReadyModel{std::move(file), std::move(executable)};
}

std::vector<Shape> usual_shapes_of(const ModelOptions& options, std::span<const import::Tensor> inputs) {
  const auto reading = reading_options(options);
  if (!reading.ok() || !is_imported(options.model)) return {};
  return usual_shapes(options.model, reading.value(), inputs);
}

Error with_usual_shapes(Error error, const ModelOptions& options, std::span<const import::Tensor> inputs) {
  const bool has_open = std::ranges::any_of(inputs, is_open);
  const bool has_assumed =
      options.inputs.inputs.empty() &&
      std::ranges::any_of(inputs, [](const import::Tensor& input) { return is_dynamic(input.shape); });
  if (!has_open && !has_assumed) return error;
  const std::vector<Shape> shapes = usual_shapes_of(options, inputs);
  if (!shapes.empty()) error.message += cat(" The model builds with ", shape_options(inputs, shapes), '.');
  return error;
}

Result<std::vector<Input>> inputs_for(const ModelOptions& options, const ModelFile& file,
                                      const std::vector<import::Tensor>& declared) {
  const bool reported = !options.inputs.inputs.empty() || !options.inputs.shapes.empty();
  if (reported || file.inputs.size() != declared.size()) {
    auto made = make_inputs(declared, options.inputs);
    if (made.ok() || made.error().code != Code::dynamic_shape) return made;
    return with_usual_shapes(invalid(made.error().message), options, declared);
  }
  std::vector<Input> inputs;
  for (const Array& array : file.inputs) inputs.push_back({array, file.path.string()});
  return inputs;
}

void print_tensors(std::string_view title, std::span<const import::Tensor> tensors) {
  for (const import::Tensor& tensor : tensors) {
    std::cout << title << ' ' << printable(tensor.name) << ": " << describe(tensor.type, tensor.shape);
    if (!tensor.quantization.empty()) {
      std::cout << ", scale " << tensor.quantization.scales[0] << ", zero point "
                << tensor.quantization.zero_points[0];
    }
    std::cout << '\n';
  }
}

Result<std::vector<Array>> inputs_of(const ModelOptions& options, const ModelFile& file,
                                     const Device& device) {
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, options.build));
  NNRT_ASSIGN(std::vector<Input> inputs, inputs_for(options, file, executable.inputs()));
  return arrays_of(std::move(inputs));
}

}  // namespace nnrt::tool
