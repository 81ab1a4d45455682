// Turns a float network into an INT8 one: planned operations compute on INT8, with conversions at the
// boundaries. Model inputs and outputs keep their types.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/quantizer/quantization_plan.h"

#include <utility>

namespace nnrt::import {

// Values have the names of their tensors' numbers, since the tensors' own names may be missing or duplicate.
std::string value_name(size_t tensor);
template <typename Number>
std::vector<std::string> value_names(const std::vector<Number>& tensors) {
  std::vector<std::string> names;
  for (const Number tensor : tensors) names.push_back(value_name(static_cast<size_t>(tensor)));
  return names;
}
// Empty if the name is not that of one of `count` tensors.
std::optional<size_t> tensor_of(const std::string& value, size_t count);

struct RewrittenNetwork {
  Network network;
  std::unordered_map<std::string, std::string> quantized;  // by value of the float network
};

// The nodes of the model are the network's operations.
RewrittenNetwork rewrite_int8(const Network& network, const QuantizableModel& model,
                              const QuantizationPlan& plan, const CodingOf& coding_of);

}  // namespace nnrt::import
