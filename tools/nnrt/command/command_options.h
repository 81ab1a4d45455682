// Options that several commands share.
#pragma once

#include "tools/nnrt/command/command_line.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/input.h"
#include "tools/nnrt/session/executable.h"

namespace nnrt::tool {

struct ModelOptions {
  std::string model;
  std::string device = "gpu";  // the first device if there is no GPU
  bool device_given = false;
  std::vector<std::string> external_folders;
  BuildOptions build;
  InputOptions inputs;
};

void add_model_options(CommandLine& command, ModelOptions& options);
// Adds the option for how far the results of two devices may be apart.
void add_tolerance_option(CommandLine& command, std::optional<double>& tolerance);
// For each output of the model: what the user gave, or what follows from the network.
std::vector<Tolerance> tolerances_of(const std::optional<double>& given, bool float16, const ModelFile& file,
                                     size_t outputs);
// The same answer for programs.
void add_json_option(CommandLine& command, bool& json);
void add_device_option(
    CommandLine& command, ModelOptions& options,
    const char* description = "gpu, cpu, auto, an id, a name or part of it; default: gpu if there is one");
// Adds the options for how a model file is read: shapes of inputs, where external data may be.
void add_reading_options(CommandLine& command, ModelOptions& options);
// Adds the options for how pixels become numbers.
void add_image_options(CommandLine& command, ModelOptions& options);
// Those for reading and for images included.
void add_input_options(CommandLine& command, ModelOptions& options);

Result<import::Options> reading_options(const ModelOptions& options);
Result<ModelFile> open(const ModelOptions& options);
// The device that was asked for; without a word the one for which an offline model was made, else a GPU, else
// the first there is. Fails where an offline model was made for another one.
Result<Device> choose_device(const ModelOptions& options, const ModelFile& file);
// The inputs for a model: what the options say, else what came with the file.
Result<std::vector<Input>> inputs_for(const ModelOptions& options, const ModelFile& file,
                                      const std::vector<import::Tensor>& declared);
std::vector<Array> arrays_of(const std::vector<Input>& inputs);
// Their elements, for a model that is built only to know what its inputs are.
Result<std::vector<Array>> inputs_of(const ModelOptions& options, const ModelFile& file,
                                     const Device& device);

}  // namespace nnrt::tool
