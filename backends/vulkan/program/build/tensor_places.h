// Tensors that alias the memory of others.
#pragma once

#include "core/graph/graph.h"

#include <utility>
#include <vector>

namespace nnrt::vulkan {

struct TensorPlace {
  TensorId owner = 0;  // owns the memory
  uint64_t offset = 0;
};

class TensorPlaces {
 public:
  // Initially each tensor has its own memory.
  explicit TensorPlaces(size_t tensors) {
    for (TensorId id = 0; id < tensors; ++id) places_.push_back({id, 0});
  }

  void put(TensorId tensor, TensorPlace place) { places_[tensor] = place; }

  // Follows chains of aliases of any depth, and shortens them for later calls.
  TensorPlace of(TensorId tensor) {
    TensorPlace at{tensor, 0};
    while (places_[at.owner].owner != at.owner)
      at = {places_[at.owner].owner, at.offset + places_[at.owner].offset};
    uint64_t passed = 0;
    for (TensorId id = tensor; id != at.owner;) {
      const TensorPlace next = std::exchange(places_[id], {at.owner, at.offset - passed});
      passed += next.offset;
      id = next.owner;
    }
    return at;
  }

 private:
  std::vector<TensorPlace> places_;  // the tensor in whose memory it is, or itself
};

}  // namespace nnrt::vulkan
