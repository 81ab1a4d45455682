#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/import/onnx/onnx_cut.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"

#include <iostream>

namespace nnrt::tool {
namespace {

struct CutOptions {
  ModelOptions model;
  std::vector<std::string> from, to;
  std::string output;
};

Status cut_model(const CutOptions& options) {
  const std::filesystem::path path(options.model.model), output(options.output);
  NNRT_TRY(check_readable("Model", path));
  if (path.extension() != ".onnx")
    return unsupported("Model (", path.string(), ") does not end in .onnx: only ONNX models can be cut.");
  if (output.extension() != ".onnx") return invalid("Output (", output.string(), ") does not end in .onnx.");
  if (options.from.empty() && options.to.empty()) return invalid("Option --from or --to is missing.");
  std::error_code error;
  if (std::filesystem::equivalent(path, output, error))
    return invalid("Output (", output.string(), ") is the model itself.");
  NNRT_TRY(check_writable(output));
  NNRT_ASSIGN(import::Options reading, reading_options(options.model));
  reading.external_folders = import::folders_with_link(path, std::move(reading.external_folders));
  NNRT_ASSIGN(const import::Bytes file, read_file(path));
  auto cut = import::cut_onnx(file, import::folder_of(path), reading, options.from, options.to);
  if (!cut.ok()) return std::move(cut).error().during("cutting " + path.string());
  const import::OnnxCut& part = cut.value();
  NNRT_TRY(write_file(output, part.file));
  print_tensors("input", part.inputs);
  print_tensors("output", part.outputs);
  std::cout << "wrote " << output.string() << " (" << byte_size(part.file.size()) << "): " << part.nodes
            << " of " << counted(part.all_nodes, "node") << "\n";
  return {};
}

}  // namespace

void add_cut(CommandLine& app, Action& action) {
  const auto options = std::make_shared<CutOptions>();
  CommandLine command = app.command(
      "cut", "Writes a part of an ONNX model as a model of its own, such as the layer that differs");
  command.option("MODEL", options->model.model, "Model file: .onnx; - for standard input").required();
  command
      .option("--from", options->from,
              "Value that becomes an input, or node whose inputs do; may be repeated. Default: the model's "
              "inputs")
      .type_name("NAME")
      .one_value();
  command
      .option("--to", options->to,
              "Value that becomes an output, or node whose outputs do; may be repeated. Default: the model's "
              "outputs")
      .type_name("NAME")
      .one_value();
  command.option("-o,--output", options->output, "Model to write, *.onnx").required().type_name("FILE");
  add_reading_options(command, options->model);
  command.footer(
      "\nExample: nnrt compare mobilenet.onnx --devices gpu,cpu --layers\n"
      "         nnrt cut mobilenet.onnx --from relu_3 --to conv_4 -o conv_4.onnx");
  set_model_action(command, action, options->model, [options] { return cut_model(*options); });
}

}  // namespace nnrt::tool
