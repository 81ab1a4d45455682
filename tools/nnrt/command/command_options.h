// Options shared by several commands.
#pragma once

#include "tools/nnrt/command/command_line.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/input.h"
#include "tools/nnrt/session/executable.h"

#include <functional>

namespace nnrt::tool {

struct ModelOptions {
  std::string model;
  std::string device = "auto";  // falls back to the first device
  bool device_given = false;
  std::vector<std::string> external_folders;
  BuildOptions build;
  InputOptions inputs;
  import::Options reading;  // what the command adds to the options for reading the file
};

inline constexpr const char* kAnyModel =
    "Model file: .tflite, .onnx, .ms, .nnrt or .jsonl; - for standard input";
void add_model_options(CommandLine& command, ModelOptions& options, const char* description = kAnyModel);
// Adds the option for the tolerated difference between two devices.
void add_tolerance_option(CommandLine& command, std::optional<double>& tolerance);
// The tolerance of each output: the user's, or the default for the network.
std::vector<Tolerance> tolerances_of(const std::optional<double>& given, bool float16, const ModelFile& file,
                                     size_t outputs);
// Adds --json.
void add_json_option(CommandLine& command, bool& json);
void add_cache_options(CommandLine& command, ModelOptions& options);
void add_device_option(
    CommandLine& command, ModelOptions& options,
    const char* description = "gpu, cpu, auto, an id, a name or part of it; default: auto");
// Adds the options for reading a model file: input shapes, folders of external data.
void add_reading_options(CommandLine& command, ModelOptions& options);
// Adds the options for normalizing pixels.
void add_image_options(CommandLine& command, ModelOptions& options);
// Includes the options for reading and for images.
void add_input_options(CommandLine& command, ModelOptions& options);

Result<import::Options> reading_options(const ModelOptions& options);
Result<ModelFile> open(const ModelOptions& options);

struct ReadyModel {
  ModelFile file;
  Executable executable;
};
// Opens the model and builds it for the requested device. With `--cache`, a model file whose compiled form is
// cached is not read, and `file` has no network; otherwise its network has no constants any more. `tell`
// receives the device before it is used.
Result<ReadyModel> make_ready(
    const ModelOptions& options, const std::function<void(const Device&)>& tell = [](const Device&) {});
// The requested device. Default: the device an offline model was compiled for, else the auto device, else
// the first device. Fails if an offline model was compiled for another device.
Result<Device> choose_device(const ModelOptions& options, const ModelFile& file);
// Shapes of the inputs with which the model builds; empty if none are found.
std::vector<Shape> usual_shapes_of(const ModelOptions& options, std::span<const import::Tensor> inputs);
// Adds them to the error of a model whose inputs are open, if the options do not tell their shapes.
Error with_usual_shapes(Error error, const ModelOptions& options, std::span<const import::Tensor> inputs);
// The inputs from the options; without any, those in the file.
Result<std::vector<Input>> inputs_for(const ModelOptions& options, const ModelFile& file,
                                      const std::vector<import::Tensor>& declared);
// The same as arrays, for callers that have not built the model.
Result<std::vector<Array>> inputs_of(const ModelOptions& options, const ModelFile& file,
                                     const Device& device);

// A line for each: "input x: FLOAT32 [1, 3]".
void print_tensors(std::string_view title, std::span<const import::Tensor> tensors);

}  // namespace nnrt::tool
