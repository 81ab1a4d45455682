#include "tools/import/onnx/onnx_reader.h"

#include "tools/import/network/empty_tensors.h"
#include "tools/import/network/network_check.h"
#include "tools/import/onnx/onnx_conversion.h"

#include <google/protobuf/io/coded_stream.h>

#include <limits>

namespace nnrt::import {

using namespace onnx;

Result<onnx_file::ModelProto> onnx::parse_onnx(std::span<const std::byte> file) {
  if (file.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return damaged("The file (", file.size(), " bytes) is larger than 2 GiB.");
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(file.data()),
                                                static_cast<int>(file.size()));
  onnx_file::ModelProto model;
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return damaged("The file is not an ONNX model, or it is damaged.");
  if (!model.has_graph()) return damaged("The file has no graph.");
  return model;
}

Result<Network> read_onnx(std::span<const std::byte> file, const std::filesystem::path& folder,
                          const Options& options) {
  NNRT_ASSIGN(const onnx_file::ModelProto model, parse_onnx(file));
  NNRT_ASSIGN(const Nodes nodes, Nodes::read(model.graph()));
  Model shared(model, {folder, options.external_folders, options.sources}, file.size());
  NNRT_TRY(check_operators(model.graph(), nodes, shared.functions));
  NNRT_ASSIGN(const int64_t opset, read_opset(model.opset_import()));
  Conversion conversion(model.graph(), nodes, opset, shared);
  NNRT_TRY(conversion.add_constants());
  NNRT_TRY(conversion.add_inputs(options));
  NNRT_TRY(conversion.convert_nodes());
  Result<Network> network = std::move(conversion).finish();
  if (!network.ok()) return of_file(std::move(network).error());
  open_empty_dimensions(network.value());
  NNRT_TRY(check(network.value()));
  return network;
}

}  // namespace nnrt::import
