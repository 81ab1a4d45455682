// A model as the client of the NNAPI front end composed it: operands and operations, not yet a graph of the
// core. Immutable once it is a ModelPtr.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nnrt::nnapi {

struct Model;
using ModelPtr = std::shared_ptr<const Model>;
// Operations compute tensors of up to so many dimensions, but for a few (supports_any_rank).
inline constexpr size_t kMaxRank = 8;
using Dimensions = std::vector<uint32_t>;  // 0: not known; none of a tensor: the rank is not known

struct OperandType {
  int32_t code = 0;  // ANEURALNETWORKS_TENSOR_FLOAT32 and so on
  Dimensions dimensions;
  float scale = 0;
  int32_t zero_point = 0;

  bool operator==(const OperandType&) const = default;
};

// real = scales[index along `dimension`] * value.
struct ChannelQuant {
  uint32_t dimension = 0;
  std::vector<float> scales;

  bool operator==(const ChannelQuant&) const = default;
};

// The place that an operand's value comes from.
enum class Source : uint8_t {
  run,       // an input of the model, or what an operation writes
  constant,  // `value`
  omitted,   // nowhere: an optional operand that is not there
  model,     // the operand is `model`
};

struct Operand {
  OperandType type;
  std::optional<ChannelQuant> channel_quant;
  Source source = Source::run;
  SharedBytes value;  // set for a constant
  ModelPtr model;     // run by IF and WHILE
};

struct Operation {
  int32_t code = 0;  // ANEURALNETWORKS_ADD and so on
  std::vector<uint32_t> inputs, outputs;
};

struct Model {
  std::vector<Operand> operands;
  std::vector<Operation> operations;  // in the order of the client's calls
  std::vector<uint32_t> order;        // an order in which the operations can run
  std::vector<uint32_t> inputs, outputs;
  bool relaxed = false;  // float32 may be computed as float16
};

}  // namespace nnrt::nnapi
