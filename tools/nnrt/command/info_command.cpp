#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"

#include <iostream>
#include <map>

namespace nnrt::tool {
namespace {

// The operator of the file: the first word of "Conv /layer1/conv (node 12)".
std::string operator_of(const import::Operation& operation) {
  return operation.origin.substr(0, operation.origin.find(' '));
}

void print_tensors(std::string_view title, const import::Network& network,
                   const std::vector<import::TensorId>& ids) {
  for (const import::TensorId id : ids) {
    const import::Tensor& tensor = network.tensors[id];
    std::cout << title << ' ' << printable(tensor.name) << ": " << describe(tensor.type, tensor.shape);
    if (!tensor.quantization.empty()) {
      std::cout << ", scale " << tensor.quantization.scales[0] << ", zero point "
                << tensor.quantization.zero_points[0];
    }
    std::cout << '\n';
  }
}

struct Constants {
  uint64_t tensors = 0, elements = 0, bytes = 0;
};

// A constant that several tensors share counts once.
Constants constants_of(const import::Network& network) {
  Constants sum;
  std::map<const import::Bytes*, bool> seen;
  for (const import::Tensor& tensor : network.tensors) {
    if (!tensor.data || !seen.emplace(tensor.data.get(), true).second) continue;
    uint64_t elements = 1;
    for (const int32_t size : tensor.shape) elements *= static_cast<uint64_t>(size);
    ++sum.tensors;
    sum.elements += elements;
    sum.bytes += tensor.data->size();
  }
  return sum;
}

// An operator of the file, and the operations that the file's nodes of it become.
struct Operator {
  std::map<std::string, bool> nodes;
  std::map<std::string_view, size_t> operations;
};

void print_operators(const import::Network& network) {
  std::map<std::string, Operator> operators;
  for (const import::Operation& operation : network.operations) {
    Operator& row = operators[operator_of(operation)];
    row.nodes[operation.origin] = true;
    ++row.operations[import::operation_name(operation.type)];
  }
  using enum Table::Align;
  Table table({{"operator", left}, {"nodes", right}, {"becomes", left}});
  for (const auto& [name, row] : operators) {
    std::string operations;
    for (const auto& [operation, count] : row.operations) {
      operations += cat(operations.empty() ? "" : ", ", count, ' ', operation);
    }
    table.add({printable(name), std::to_string(row.nodes.size()), operations});
  }
  table.print(std::cout);
}

Status show(const ModelOptions& options) {
  NNRT_ASSIGN(const ModelFile file, open(options));
  if (!file.network) {
    return Error{Code::unsupported, "An offline model is compiled: only the library can read it."};
  }
  const import::Network& network = *file.network;
  print_tensors("input", network, network.inputs);
  print_tensors("output", network, network.outputs);
  const Constants constants = constants_of(network);
  std::cout << "parameters: " << constants.elements << " in " << constants.tensors << " constants, "
            << byte_size(constants.bytes) << "\noperations: " << network.operations.size() << "\n\n";
  print_operators(network);
  return {};
}

}  // namespace

void add_info(CommandLine& app, Action& action) {
  const auto options = std::make_shared<ModelOptions>();
  CommandLine command =
      app.command("info", "Shows a model's inputs, outputs, operators and parameters, without building it");
  command.option("MODEL", options->model, "Model file: .tflite, .onnx or .jsonl").required();
  add_shape_option(command, *options);
  command.footer("\nExample: nnrt info mobilenet.tflite");
  command.when_called([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace nnrt::tool
