#include "tools/nnrt/data/case_file.h"

#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/import/network/parameters.h"

#include <case.h>
#include <names.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <exception>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;
using import::Operation;
using import::Tensor;

Bytes to_bytes(const conformance::Bytes& bytes) {
  Bytes result(bytes.size());
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

Tensor to_tensor(const conformance::Tensor& tensor) {
  Tensor result{tensor.name, tensor.dataType, tensor.format, tensor.shape, {}, nullptr};
  if (tensor.quant) result.quantization = {tensor.quant->scales, tensor.quant->zeroPoints};
  if (tensor.data) result.data = std::make_shared<const Bytes>(to_bytes(*tensor.data));
  return result;
}

Result<Operation> to_operation(const conformance::Case& made, size_t index) {
  const conformance::Operation& operation = made.operations[index];
  std::vector<import::Parameter> parameters;
  for (const uint32_t id : operation.params) {
    const conformance::Tensor& tensor = made.tensors[id];
    parameters.push_back(
        {tensor.type, tensor.dataType, tensor.shape, tensor.data ? to_bytes(*tensor.data) : Bytes{}});
  }
  const auto type = static_cast<Op>(operation.type);
  const std::string origin = cat(operation.name, " (operator ", index, ")");
  auto attributes = attributes_of(type, parameters);
  if (!attributes.ok()) return import::of_file(std::move(attributes).error().during("reading " + origin));
  return Operation{type, operation.inputs, operation.outputs, std::move(attributes).value(), origin};
}

struct FirstCase {
  conformance::Case made;
  size_t cases;  // in the file
};

Result<FirstCase> first_case(const std::filesystem::path& path) {
  conformance::Collection collection;
  try {
    conformance::load(path.string(), collection);
  } catch (const std::exception& error) {
    return Error{Code::invalid_path, cat("File (", path.string(), ") cannot be read: ", error.what(), ".")};
  }
  if (collection.cases.empty() || collection.cases[0].reject) {
    return Error{
        Code::invalid_file,
        collection.malformed.empty()
            ? cat("File (", path.string(), ") does not begin with a case that can run.")
            : cat("File (", path.string(), ") contains no case: ", collection.malformed[0].reason, ".")};
  }
  return FirstCase{std::move(collection.cases[0]), collection.cases.size()};
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? std::to_integer<uint32_t>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += k <= bytes.size() - i ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::string_view format_name(OH_NN_Format format) {
  constexpr std::string_view kNames[] = {"NONE", "NCHW", "NHWC", "ND"};
  return kNames[static_cast<size_t>(format)];
}

Json to_json(const import::Tensor& tensor) {
  Json json{{"name", tensor.name}, {"dtype", conformance::nameOf(tensor.type)}, {"shape", tensor.shape}};
  if (tensor.format != OH_NN_FORMAT_NONE) json["format"] = format_name(tensor.format);
  if (!tensor.quantization.empty()) {
    json["quant"] = {{"scales", tensor.quantization.scales},
                     {"zero_points", tensor.quantization.zero_points},
                     {"bits", std::vector<uint32_t>(tensor.quantization.scales.size(), 8)}};
  }
  if (tensor.data != nullptr) json["data"] = base64(*tensor.data);
  return json;
}

Json to_json(const import::Parameter& parameter) {
  const std::string_view role = conformance::nameOf(parameter.role);
  return {{"name", role},
          {"dtype", conformance::nameOf(parameter.type)},
          {"shape", parameter.shape},
          {"type", role},
          {"data", base64(parameter.value)}};
}

Json to_json(const Array& array) { return {{"shape", array.shape}, {"data", base64(array.bytes)}}; }

Json tolerance_of(OH_NN_DataType type) {
  switch (type) {
    case OH_NN_FLOAT16:
    case OH_NN_FLOAT32:
    case OH_NN_FLOAT64: return {{"abs", 1e-4}, {"rel", 1e-4}};
    case OH_NN_INT8:
    case OH_NN_UINT8: return {{"lsb", 1}};
    default: return {};
  }
}

}  // namespace

Result<ModelFile> read_case(const std::filesystem::path& path) {
  NNRT_ASSIGN(const FirstCase first, first_case(path));
  const conformance::Case& made = first.made;
  ModelFile model{path, import::Network{}, {}};
  model.origin = CaseOrigin{made.name, first.cases, made.runs.size()};
  for (const conformance::Tensor& tensor : made.tensors) model.network->tensors.push_back(to_tensor(tensor));
  for (size_t i = 0; i < made.operations.size(); ++i) {
    NNRT_ASSIGN(Operation operation, to_operation(made, i));
    model.network->operations.push_back(std::move(operation));
  }
  model.network->inputs = made.inputs;
  model.network->outputs = made.outputs;
  for (size_t i = 0; i < made.inputs.size(); ++i) {
    const conformance::Value& value = made.runs[0].inputs[i];
    model.inputs.push_back({made.tensors[made.inputs[i]].dataType, value.shape, to_bytes(value.data)});
  }
  const std::vector<conformance::Value>& expected = made.runs[0].outputs;
  const bool are_known = made.oracle != "none" && expected.size() == made.outputs.size();
  for (size_t i = 0; are_known && i < expected.size(); ++i) {
    model.outputs.push_back(
        {made.tensors[made.outputs[i]].dataType, expected[i].shape, to_bytes(expected[i].data)});
  }
  return model;
}

std::string write_case(const std::string& name, const std::string& oracle, const import::Network& network,
                       const CaseRun& run) {
  Json tensors = Json::array(), operations = Json::array(), inputs = Json::array(), outputs = Json::array();
  for (const import::Tensor& tensor : network.tensors) tensors.push_back(to_json(tensor));
  for (const import::Operation& operation : network.operations) {
    std::vector<size_t> parameters;
    for (const import::Parameter& parameter : parameters_of(operation)) {
      parameters.push_back(tensors.size());
      tensors.push_back(to_json(parameter));
    }
    operations.push_back({{"op", conformance::nameOf(static_cast<OH_NN_OperationType>(operation.type))},
                          {"inputs", operation.inputs},
                          {"params", parameters},
                          {"outputs", operation.outputs}});
  }
  for (const Array& array : run.inputs) inputs.push_back(to_json(array));
  for (const Array& array : run.outputs) {
    Json output = to_json(array);
    const Json tolerance = tolerance_of(array.type);
    if (!tolerance.empty()) output["tol"] = tolerance;
    outputs.push_back(std::move(output));
  }
  const Json document{
      {"name", name},
      {"oracle", oracle},
      {"tensors", std::move(tensors)},
      {"ops", std::move(operations)},
      {"inputs", network.inputs},
      {"outputs", network.outputs},
      {"runs", Json::array({{{"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}}})},
      {"expect", "ok"},
      {"tags", Json::array()}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nnrt::tool
