#include "tools/import/onnx/onnx_reader.h"

#include "tools/import/network/network_check.h"
#include "tools/import/onnx/onnx_conversion.h"

#include <limits>

namespace nnrt::import {

using namespace onnx;

namespace {

Status check_file_size(uint64_t bytes) {
  if (bytes <= static_cast<uint64_t>(std::numeric_limits<int>::max())) return {};
  return damaged("The file (", bytes, " bytes) is larger than 2 GiB.");
}

}  // namespace

Result<onnx_file::ModelProto> onnx::parse_onnx(std::span<const std::byte> file) {
  NNRT_TRY(check_file_size(file.size()));
  onnx_file::ModelProto model;
  if (!model.parse({reinterpret_cast<const char*>(file.data()), file.size()}))
    return damaged("The file is not an ONNX model, or it is damaged.");
  if (!model.has_graph()) return damaged("The file has no graph.");
  return model;
}

Result<onnx_file::ModelFile> onnx::parse_onnx(const ByteSource& file) {
  NNRT_TRY(check_file_size(file.size()));
  NNRT_ASSIGN(onnx_file::ModelFile parsed, onnx_file::read_model(file));
  if (!parsed.model.has_graph()) return damaged("The file has no graph.");
  return parsed;
}

namespace {

Result<Network> converted(const onnx_file::ModelProto& model, TensorData data, size_t size,
                          const Options& options, bool keeps_order, int* failed) {
  NNRT_ASSIGN(const Nodes nodes, Nodes::read(model.graph()));
  Model shared(model, std::move(data), size);
  NNRT_TRY(check_operators(model.graph(), nodes, shared.functions));
  NNRT_ASSIGN(const int64_t opset, read_opset(model));
  Conversion conversion(model.graph(), nodes, opset, shared);
  if (keeps_order) shared.emitter.keep_order();
  conversion.add_constants();
  conversion.add_inputs(options);
  if (Status status = conversion.convert_nodes(); !status.ok()) {
    if (failed != nullptr) *failed = conversion.position();
    return std::move(status).error();
  }
  Result<Network> network = converting([&] { return std::move(conversion).finish(); });
  if (!network.ok()) return of_file(std::move(network).error());
  NNRT_TRY(shared.data.check_unchanged());
  open_empty_dimensions(network.value());
  NNRT_TRY(check(network.value()));
  return network;
}

Result<Network> read(const ByteSource& file, const std::filesystem::path& folder, const Options& options,
                     bool keeps_order) {
  NNRT_ASSIGN(onnx_file::ModelFile parsed, parse_onnx(file));
  TensorData data({folder, options.external_folders, options.sources}, file, std::move(parsed.payloads));
  return converting(
      [&] { return converted(parsed.model, std::move(data), file.size(), options, keeps_order, nullptr); });
}

}  // namespace

Result<Network> onnx::convert(const onnx_file::ModelProto& model, TensorData data, size_t size,
                              const Options& options, int* failed) {
  return converting([&] { return converted(model, std::move(data), size, options, false, failed); });
}

Result<Network> read_onnx(const ByteSource& file, const std::filesystem::path& folder,
                          const Options& options) {
  return read(file, folder, options, false);
}

Result<Network> read_onnx_in_file_order(const ByteSource& file, const std::filesystem::path& folder,
                                        const Options& options) {
  return read(file, folder, options, true);
}

Result<Network> read_onnx(std::span<const std::byte> file, const std::filesystem::path& folder,
                          const Options& options) {
  return read_onnx(*source_of(file), folder, options);
}

namespace {

// An unknown type or rank is left to the conversion, which refuses it.
Tensor declared(const onnx_file::ValueInfo& value) {
  Tensor tensor;
  tensor.name = value.name();
  if (const auto dtype = stored_dtype_of(value.type().tensor_type().elem_type()); dtype.ok())
    tensor.type = static_cast<OH_NN_DataType>(dtype.value());
  for (const onnx_file::Dimension& dimension : value.type().tensor_type().shape().dim()) {
    const int64_t size = dimension.dim_value();
    tensor.shape.push_back(size > 0 && size <= std::numeric_limits<int32_t>::max() ? int32_t(size) : -1);
  }
  return tensor;
}

}  // namespace

Result<Interface> read_onnx_interface(const ByteSource& file) {
  NNRT_ASSIGN(const onnx_file::ModelFile parsed, parse_onnx(file));
  const onnx_file::GraphProto& graph = parsed.model.graph();
  std::set<std::string_view> constants;
  for (const onnx_file::TensorProto& initializer : graph.initializer()) constants.insert(initializer.name());
  Interface found;
  for (const onnx_file::ValueInfo& input : graph.input())
    if (!constants.contains(input.name())) found.inputs.push_back(declared(input));
  for (const onnx_file::ValueInfo& output : graph.output()) found.outputs.push_back(declared(output));
  for (const onnx_file::NodeProto& node : graph.node()) found.operators.insert(node.op_type());
  return found;
}

}  // namespace nnrt::import
