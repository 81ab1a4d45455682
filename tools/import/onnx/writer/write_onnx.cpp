#include "tools/import/onnx/writer/write_onnx.h"

#include "core/base/bytes_of.h"
#include "core/passes/normalize.h"
#include "core/writer/list.h"
#include "tools/import/network/core_network.h"
#include "tools/import/onnx/writer/onnx_node_writer.h"

namespace nnrt::import {

using namespace onnx;

Result<Bytes> write_onnx(const Network& network) {
  NNRT_ASSIGN(const GraphPtr given, to_graph(network));
  nnrt::Graph graph = *given;
  drop_unread(graph);
  FileWriter file(graph);
  NNRT_TRY(write_nodes(network, graph, "an .onnx file", [&](const nnrt::Node& node) {
    const auto layer = network.operations[node.position].layer;
    file.set_node_name(layer ? network.layers[*layer].name : "");
    return converting([&] { return write_node(file, node); });
  }));
  NNRT_ASSIGN(const std::string text, file.finish());
  return bytes_of(text);
}

std::string with_onnx_metadata(ByteView file, ByteView other) {
  onnx_file::ModelProto made, from;
  const auto text_of = [](ByteView view) {
    return std::string_view(reinterpret_cast<const char*>(view.data()), view.size());
  };
  if (made.parse(text_of(file)) && from.parse(text_of(other))) made.unknown_fields = from.unknown_fields;
  return made.serialize();
}

}  // namespace nnrt::import
