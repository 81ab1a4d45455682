#include "tests/support/model_graph.h"

#include "core/memory/deferred_bytes.h"
#include "tools/import/load_network.h"
#include "tools/import/network/core_network.h"

#include <stdexcept>

namespace nnrt::test {

GraphPtr graph_of_file(const std::filesystem::path& path) {
  const import::Network network = import::load(path).value();
  for (const import::Tensor& tensor : network.tensors)
    if (const Status status = ensure_read(tensor.data); !status.ok())
      throw std::runtime_error(status.error().message);
  return import::to_graph(network).value();
}

}  // namespace nnrt::test
