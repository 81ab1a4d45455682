#include "core/base/counted.h"
#include "tools/import/write_network.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/data/case_file.h"

#include <iostream>

namespace nnrt::tool {
namespace {

struct ConvertOptions {
  ModelOptions model;
  std::string output, name;
};

// A model in another format.
Status write_model(const ConvertOptions& options, const import::Network& network) {
  if (!options.name.empty()) return invalid("--name is for cases, not for models.");
  std::error_code error;
  if (std::filesystem::equivalent(options.output, options.model.model, error))
    return invalid("Output (", options.output, ") is the model itself.");
  NNRT_ASSIGN(const import::Bytes bytes, import::write_network(network, options.output));
  NNRT_TRY(write_file(options.output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  std::cout << "wrote " << options.output << " (" << byte_size(bytes.size()) << "): a model of "
            << counted(network.operations.size(), "operation") << "\n";
  return {};
}

Status convert_model(ConvertOptions options) {
  const std::string extension = std::filesystem::path(options.output).extension().string();
  const bool is_model = import::is_written(options.output);
  if (!is_model && extension != ".jsonl" && !extension.empty())
    return invalid("Output (", options.output, ") ends in ", extension,
                   ", but only .onnx, .tflite, .ms and .jsonl can be written.");
  NNRT_TRY(check_writable(options.output));
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  if (!file.network)
    return invalid("Model (", file.path.string(), ") is compiled: its operations are not known.");
  if (is_model) return write_model(options, *file.network);
  NNRT_ASSIGN(const Device device, find_device("cpu"));
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, {}));
  NNRT_ASSIGN(const std::vector<Input> made, inputs_for(options.model, file, executable.inputs()));
  const std::vector<Array> inputs = arrays_of(made);
  NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
  NNRT_TRY(runner.run());
  NNRT_ASSIGN(const std::vector<Array> outputs, runner.outputs());

  if (options.name.empty()) options.name = "report/" + file.path.stem().string();
  const std::string text = write_case(options.name, device.name, *file.network, {inputs, outputs});
  NNRT_TRY(write_file(options.output, text));
  std::cout << "wrote " << options.output << " (" << byte_size(text.size()) << "): case " << options.name
            << ", " << counted(file.network->operations.size(), "operation") << ", outputs expected from "
            << device.name << '\n';
  return {};
}

}  // namespace

void add_convert(CommandLine& app, Action& action) {
  const auto options = std::make_shared<ConvertOptions>();
  CommandLine command = app.command("convert",
                                    "Writes a model as ONNX (.onnx), for TensorFlow Lite (.tflite) or for "
                                    "MindSpore Lite (.ms); or the model, its inputs and the CPU's outputs "
                                    "as a conformance case (.jsonl), for bug reports");
  command
      .option("MODEL", options->model.model,
              "Model file: .tflite, .onnx, .ms or .jsonl; - for standard input")
      .required();
  add_input_options(command, options->model);
  command
      .option("-o,--output", options->output,
              "File to write: *.onnx, *.tflite, *.ms, or a conformance case, *.jsonl")
      .required()
      .type_name("FILE");
  command.option("--name", options->name, "Name of the case; default: report/ and the model's name");
  command.footer(
      "\nExample: nnrt convert mobilenet.onnx --output mobilenet.tflite\n"
      "         nnrt convert mobilenet.tflite --input x=in.npy --output case.jsonl");
  set_model_action(command, action, options->model, [options] { return convert_model(*options); });
}

}  // namespace nnrt::tool
