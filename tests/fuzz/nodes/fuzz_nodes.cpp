// Models of one node with an arbitrary structure, as ONNX, TensorFlow Lite and MindSpore Lite have them: a
// reader refuses them or returns a network that passes check(), and the C API may refuse to build it.
#include "core/base/text.h"
#include "mindspore/lower/lower_graph.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/nodes/node_drafts.h"
#include "tools/import/model_builder.h"
#include "tools/import/network/constant_folding.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/network_check.h"
#include "tools/import/onnx/onnx_reader.h"
#include "tools/import/tflite/tflite_reader.h"

#include <cstdio>
#include <cstdlib>

namespace nnrt::test {
namespace {

Result<import::Network> read_mindspore_node(Choices& choices) {
  const auto fold = [](const GraphPtr& graph) -> Result<std::vector<Bytes>> {
    const Node& node = graph->nodes.at(0);
    if (!import::worth_computing(*graph, node)) return unsupported("It is not folded.");
    NNRT_ASSIGN(const std::vector<SharedBytes> results, import::evaluate(*graph, node));
    std::vector<Bytes> copies;
    for (const SharedBytes& one : results) copies.emplace_back(one->begin(), one->end());
    return copies;
  };
  NNRT_ASSIGN(const mindspore::LoweredGraph lowered, mindspore::lower_graph(draft_mindspore(choices), fold));
  if (lowered.graph == nullptr || lowered.refusals.at(0)) return invalid("The node is refused.");
  NNRT_ASSIGN(import::Network network, import::to_network(*lowered.graph));
  import::open_empty_dimensions(network);
  NNRT_TRY(import::check(network));
  return network;
}

Result<import::Network> read_node(Choices& choices) {
  switch (choices.below(4)) {
    case 0: {
      const std::vector<uint8_t> file = draft_tflite(choices);
      return import::read_tflite(std::as_bytes(std::span(file)), {});
    }
    case 1: return read_mindspore_node(choices);
    default: {
      const std::string file = draft_onnx(choices).serialize();
      return import::read_onnx(std::as_bytes(std::span(file)), "/nonexistent", {});
    }
  }
}

}  // namespace
}  // namespace nnrt::test

FUZZ_TARGET(nodes)(const uint8_t* data, size_t size) {
  nnrt::test::Choices choices(std::span(data, size));
  const nnrt::Result<nnrt::import::Network> network = nnrt::test::read_node(choices);
  if (!network.ok()) return 0;
  if (const nnrt::Status status = nnrt::import::check(network.value()); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    std::abort();
  }
  static_cast<void>(nnrt::import::make_model(network.value()));
  return 0;
}
