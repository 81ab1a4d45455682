// Parameters of an operation, for engines that compute it with their own functions.
#pragma once

#include "case.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

// Null if the operation has no such parameter.
inline const conformance::Bytes* parameter_of(const conformance::Case& network,
                                              const conformance::Operation& operation,
                                              OH_NN_TensorType type) {
  const auto id =
      std::ranges::find(operation.params, type, [&](uint32_t i) { return network.tensors[i].type; });
  return id == operation.params.end() ? nullptr : &*network.tensors[*id].data;
}

// Throws if the operation has no such parameter, such as PAD where it has PAD_MODE.
inline std::vector<int64_t> integers_of(const conformance::Case& network,
                                        const conformance::Operation& operation, OH_NN_TensorType type) {
  const conformance::Bytes* const data = parameter_of(network, operation, type);
  if (data == nullptr)
    throw std::invalid_argument(operation.name + " has no parameter of type " + std::to_string(type));
  std::vector<int64_t> values(data->size() / sizeof(int64_t));
  std::memcpy(values.data(), data->data(), data->size());
  return values;
}

inline bool is_set(const conformance::Case& network, const conformance::Operation& operation,
                   OH_NN_TensorType type) {
  const conformance::Bytes* const data = parameter_of(network, operation, type);
  return data != nullptr && data->front() != 0;
}

}  // namespace bench
