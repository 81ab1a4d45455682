#include "tests/support/model_graph.h"

#include "core/memory/deferred_bytes.h"
#include "tools/import/load_network.h"
#include "tools/import/network/core_network.h"

#include <stdexcept>

namespace nnrt::test {

GraphPtr graph_of_file(const std::filesystem::path& path) {
  const Result<import::Network> network = import::load(path);
  if (!network.ok()) throw std::runtime_error(network.error().message);
  for (const import::Tensor& tensor : network.value().tensors)
    if (const Status status = ensure_read(tensor.data); !status.ok())
      throw std::runtime_error(status.error().message);
  const Result<GraphPtr> graph = import::to_graph(network.value());
  if (!graph.ok()) throw std::runtime_error(graph.error().message);
  return graph.value();
}

}  // namespace nnrt::test
