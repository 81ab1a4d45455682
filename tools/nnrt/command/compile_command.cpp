#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace nnrt::tool {
namespace {

constexpr size_t kSlack = size_t{1} << 20;

struct CompileOptions {
  ModelOptions model;
  std::string output;
  bool json = false;
};

// If the guess is too small, the library reports the required size.
Result<std::string> export_model(OH_NNCompilation* compilation, size_t guess) {
  std::string bytes(guess, '\0');
  size_t size = 0;
  OH_NN_ReturnCode code =
      OH_NNCompilation_ExportCacheToBuffer(compilation, bytes.data(), bytes.size(), &size);
  if (code != OH_NN_SUCCESS && size > bytes.size()) {
    bytes.resize(size);
    code = OH_NNCompilation_ExportCacheToBuffer(compilation, bytes.data(), bytes.size(), &size);
  }
  NNRT_TRY(check(code, "OH_NNCompilation_ExportCacheToBuffer"));
  bytes.resize(size);
  return bytes;
}

Status compile_model(const CompileOptions& options) {
  NNRT_TRY(check_writable(options.output));
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  NNRT_ASSIGN(const Device device, choose_device(options.model, file));
  BuildOptions build = options.model.build;
  build.exports = true;
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, build));
  if (file.network) {
    NNRT_TRY(attach_description(executable.compilation(),
                                import::description_of(*file.network, file.description.files)));
  }
  NNRT_ASSIGN(const std::string bytes, export_model(executable.compilation(), 2 * file.bytes + kSlack));
  NNRT_TRY(write_file(options.output, bytes));
  if (options.json) {
    print_json(std::cout, {{"model", options.model.model},
                           {"device", device.name},
                           {"device_id", std::to_string(device.id)},
                           {"build_ms", executable.build_ms()},
                           {"bytes", bytes.size()},
                           {"file", options.output}});
    return {};
  }
  std::cout << "compiled for " << device.name << " in " << duration(executable.build_ms()) << '\n'
            << "wrote " << options.output << " (" << byte_size(bytes.size()) << ")\n";
  return {};
}

}  // namespace

void add_compile(CommandLine& app, Action& action) {
  const auto options = std::make_shared<CompileOptions>();
  CommandLine command = app.command("compile", "Compiles a model ahead of time for a device");
  add_model_options(command, options->model,
                    "Model file: .tflite, .onnx, .ms or .jsonl; - for standard input");
  add_device_option(command, options->model);
  add_reading_options(command, options->model);
  command.option("-o,--output", options->output, "Offline model to write, *.nnrt")
      .required()
      .type_name("FILE");
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt compile mobilenet.tflite --device gpu --output mobilenet.nnrt");
  set_model_action(command, action, options->model, [options] { return compile_model(*options); });
}

}  // namespace nnrt::tool
