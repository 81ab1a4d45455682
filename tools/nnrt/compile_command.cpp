#include "tools/nnrt/clock.h"
#include "tools/nnrt/command.h"
#include "tools/nnrt/files.h"
#include "tools/nnrt/options.h"
#include "tools/nnrt/table.h"

#include <iostream>

namespace nnrt::tool {
namespace {

struct CompileOptions {
  ModelOptions model;
  std::string output;
};

// The size is not known before: the library tells it where the buffer is too small.
Result<std::string> export_model(OH_NNCompilation* compilation) {
  size_t size = 0;
  std::string bytes(1, '\0');
  if (OH_NNCompilation_ExportCacheToBuffer(compilation, bytes.data(), bytes.size(), &size) != OH_NN_SUCCESS) {
    if (size <= bytes.size())
      return Error{Code::failed, "OH_NNCompilation_ExportCacheToBuffer cannot export the model."};
    bytes.resize(size);
    NNRT_TRY(check(OH_NNCompilation_ExportCacheToBuffer(compilation, bytes.data(), bytes.size(), &size),
                   "OH_NNCompilation_ExportCacheToBuffer"));
  }
  bytes.resize(size);
  return bytes;
}

Status compile_model(const CompileOptions& options) {
  NNRT_ASSIGN(const ModelFile file, open(options.model));
  NNRT_ASSIGN(const Device device, choose_device(options.model));
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, options.model.build));
  NNRT_ASSIGN(const std::string bytes, export_model(executable.compilation()));
  NNRT_TRY(write_file(options.output, bytes));
  std::cout << "compiled for " << device.name << " in " << duration(executable.build_ms()) << '\n'
            << "wrote " << options.output << " (" << byte_size(bytes.size()) << ")\n";
  return {};
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
  const auto options = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand("compile", "Compiles a model ahead of time, for one device");
  add_model_options(*command, options->model);
  add_device_option(*command, options->model);
  command->add_option("--shape", options->model.inputs.shapes, "Shape of an input: NAME=1,224,224,3")
      ->type_name("NAME=SHAPE");
  command->add_option("-o,--output", options->output, "The offline model to write, *.nnrt")
      ->required()
      ->type_name("FILE");
  command->callback([options, &action] { action = [options] { return compile_model(*options); }; });
}

}  // namespace nnrt::tool
