// Turns a float network into an INT8 one: planned operations compute on INT8, with conversions at the
// boundaries. Model inputs and outputs keep their types.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/quantizer/quantization_plan.h"

#include <functional>
#include <map>

namespace nnrt::import {

struct RewrittenNetwork {
  Network network;
  std::map<TensorId, TensorId> quantized;  // by value of the float network
};

// The coding of a value whose range other values may share.
using CodingOf = std::function<Int8Coding(TensorId source)>;

RewrittenNetwork rewrite_int8(const QuantizableModel& model, const QuantizationPlan& plan,
                              const CodingOf& coding_of);

}  // namespace nnrt::import
