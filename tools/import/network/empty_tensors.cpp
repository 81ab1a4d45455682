#include "tools/import/network/empty_tensors.h"

#include "core/writer/settings.h"
#include "tools/import/network/network_check.h"

#include <algorithm>

namespace nnrt::import {
namespace {

bool is_empty(const Tensor& tensor) { return std::ranges::find(tensor.shape, 0) != tensor.shape.end(); }

// BROADCAST_TO of a single element.
Operation operation_for(Network& network, TensorId id) {
  const std::vector<int64_t> shape(network.tensors[id].shape.begin(), network.tensors[id].shape.end());
  Tensor element = network.tensors[id];
  element.name += " element";
  element.shape = {1};
  element.data = std::make_shared<const Bytes>(element_size(element.type));
  network.tensors.push_back(std::move(element));
  network.tensors[id].data = nullptr;
  return {Op::broadcast_to,
          {static_cast<TensorId>(network.tensors.size() - 1)},
          {id},
          required(attrs_of(Op::broadcast_to, {{Attr::shape, shape}})),
          "constant " + network.tensors[id].name};
}

}  // namespace

void open_empty_dimensions(Network& network) {
  std::vector<Operation> operations;
  const auto count = static_cast<TensorId>(network.tensors.size());
  for (TensorId id = 0; id < count; ++id) {
    if (!is_empty(network.tensors[id])) continue;
    if (network.tensors[id].data != nullptr) operations.push_back(operation_for(network, id));
    std::ranges::replace(network.tensors[id].shape, 0, -1);
  }
  network.operations.insert(network.operations.begin(), std::make_move_iterator(operations.begin()),
                            std::make_move_iterator(operations.end()));
}

}  // namespace nnrt::import
