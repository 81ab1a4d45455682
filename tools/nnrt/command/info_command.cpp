#include "core/base/counted.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

// The file's operator: the first word of "Conv /layer1/conv (node 12)", or that of its layer ("custom Mfcc").
// Empty if the reader added the operation to an input or output.
std::string operator_of(const ModelFile& file, const import::Operation& operation) {
  const bool is_case = file.origin.has_value();
  if (!operation.layer && !is_case) return "";
  const std::string& origin = operation.origin;
  if (operation.layer) {
    const std::string& op = file.network->layers[*operation.layer].op;
    if (origin.starts_with(op + ' ')) return op;
  }
  return origin.substr(0, origin.find(' '));
}

std::vector<import::Tensor> tensors_of(const import::Network& network,
                                       std::span<const import::TensorId> ids) {
  std::vector<import::Tensor> tensors;
  tensors.reserve(ids.size());
  for (const import::TensorId id : ids) tensors.push_back(network.tensors[id]);
  return tensors;
}

struct Constants {
  uint64_t tensors = 0, elements = 0, bytes = 0;
};

// The constants that operations read, a shared one counted once. Attributes of conformance cases, which are
// tensors there, are no parameters.
Constants constants_of(const import::Network& network) {
  Constants sum;
  std::set<const std::byte*> seen;
  for (const import::Operation& operation : network.operations) {
    for (const import::Tensor& tensor : tensors_of(network, operation.inputs)) {
      if (!tensor.data || !seen.insert(tensor.data->data()).second) continue;
      uint64_t elements = 1;
      for (const int32_t size : tensor.shape) elements *= static_cast<uint64_t>(size);
      ++sum.tensors;
      sum.elements += elements;
      sum.bytes += tensor.data->size();
    }
  }
  return sum;
}

// An operator of the file and the operations its nodes were imported as.
struct Operator {
  std::set<std::string> nodes;
  std::map<std::string_view, size_t> operations;
};

std::map<std::string, Operator> operators_of(const ModelFile& file) {
  std::map<std::string, Operator> operators;
  for (const import::Operation& operation : file.network->operations) {
    const std::string name = operator_of(file, operation);
    Operator& row = operators[name];
    if (!name.empty()) row.nodes.insert(operation.origin);
    ++row.operations[short_name(operation.type)];
  }
  return operators;
}

void print_operators(const ModelFile& file) {
  using enum Table::Align;
  Table table({{"operator", left}, {"nodes", right}, {"becomes", left}});
  for (const auto& [name, row] : operators_of(file)) {
    std::string operations;
    for (const auto& [operation, count] : row.operations) {
      operations += cat(operations.empty() ? "" : ", ", count, ' ', operation);
    }
    table.add(
        {name.empty() ? "(inputs, outputs)" : printable(name), std::to_string(row.nodes.size()), operations});
  }
  table.print(std::cout);
}

Json tensors_json(const std::vector<import::Tensor>& tensors) {
  Json list = Json::array();
  for (const import::Tensor& tensor : tensors) {
    Json json{{"name", tensor.name}, {"dtype", import::type_name(tensor.type)}, {"shape", tensor.shape}};
    if (!tensor.quantization.empty()) {
      json["scales"] = tensor.quantization.scales;
      json["zero_points"] = tensor.quantization.zero_points;
    }
    list.push_back(std::move(json));
  }
  return list;
}

// The same as JSON; dynamic dimensions are -1.
void print_network(const std::string& model, const ModelFile& file) {
  const import::Network& network = *file.network;
  const Constants constants = constants_of(network);
  Json operators = Json::array();
  for (const auto& [name, row] : operators_of(file)) {
    Json operations = Json::object();
    for (const auto& [operation, count] : row.operations) operations[std::string(operation)] = count;
    operators.push_back({{"operator", name.empty() ? Json() : Json(name)},
                         {"nodes", row.nodes.size()},
                         {"operations", operations}});
  }
  print_json(
      std::cout,
      {{"model", model},
       {"inputs", tensors_json(tensors_of(network, network.inputs))},
       {"outputs", tensors_json(tensors_of(network, network.outputs))},
       {"parameters",
        {{"constants", constants.tensors}, {"elements", constants.elements}, {"bytes", constants.bytes}}},
       {"operations", network.operations.size()},
       {"operators", operators}});
}

// The inputs and outputs of an offline model come from its device, or from what its maker described.
Status show_offline(const ModelOptions& options, const ModelFile& file, bool is_json) {
  NNRT_ASSIGN(const auto maker, device_of_offline_model(options.model));
  if (!maker) return unsupported("Offline model (", options.model, ") does not record its device.");
  Json json{{"model", options.model},
            {"device", maker->name},
            {"device_id", maker->id},
            {"float16", maker->float16}};
  std::vector<import::Tensor> inputs = file.description.inputs, outputs = file.description.outputs;
  const auto device = choose_device(options, file);
  if (device.ok()) {
    NNRT_ASSIGN(const Executable executable, Executable::build(file, device.value(), options.build));
    inputs = executable.inputs();
    outputs = executable.outputs();
  }
  const bool is_described = device.ok() || !outputs.empty();
  if (is_described) {
    json["inputs"] = tensors_json(inputs);
    json["outputs"] = tensors_json(outputs);
  }
  if (is_json) {
    print_json(std::cout, json);
    return {};
  }
  std::cout << "offline model for " << printable(maker->name) << (maker->float16 ? ", with float16" : "")
            << '\n';
  if (!device.ok()) std::cout << "This device is not available here.\n";
  if (!is_described) std::cout << "Inputs and outputs are unknown without that device.\n";
  print_tensors("input", inputs);
  print_tensors("output", outputs);
  return {};
}

Status show(const ModelOptions& options, bool is_json) {
  NNRT_ASSIGN(const ModelFile file, open(options));
  if (!file.network) return show_offline(options, file, is_json);
  const import::Network& network = *file.network;
  if (is_json) {
    print_network(options.model, file);
    return {};
  }
  print_tensors("input", tensors_of(network, network.inputs));
  print_tensors("output", tensors_of(network, network.outputs));
  const Constants constants = constants_of(network);
  std::cout << "parameters: " << constants.elements << " in " << counted(constants.tensors, "constant")
            << ", " << byte_size(constants.bytes) << "\noperations: " << network.operations.size() << "\n\n";
  print_operators(file);
  return {};
}

}  // namespace

void add_info(CommandLine& app, Action& action) {
  const auto options = std::make_shared<ModelOptions>();
  const auto is_json = std::make_shared<bool>(false);
  CommandLine command =
      app.command("info", "Shows a model's inputs, outputs, operators and parameters without building it");
  command.option("MODEL", options->model, kAnyModel).required();
  add_reading_options(command, *options);
  add_json_option(command, *is_json);
  command.footer("\nExample: nnrt info mobilenet.tflite");
  set_model_action(command, action, *options, [options, is_json] { return show(*options, *is_json); });
}

}  // namespace nnrt::tool
