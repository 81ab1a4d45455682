// A model as composed by an NNAPI client: operands and operations, before lowering to a core graph. Immutable
// once it is a ModelPtr.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nnrt::nnapi {

struct Model;
using ModelPtr = std::shared_ptr<const Model>;
// Maximum rank, except for a few operations (supports_any_rank).
inline constexpr size_t kMaxRank = 8;
using Dimensions = std::vector<uint32_t>;  // 0: unknown; empty for a tensor: unknown rank

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

// The source of an operand's value.
enum class Source : uint8_t {
  run,       // a model input or an operation's output
  constant,  // `value`
  omitted,   // an optional operand without a value
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
  std::vector<Operation> operations;  // in call order
  std::vector<uint32_t> order;        // execution order
  std::vector<uint32_t> inputs, outputs;
  bool relaxed = false;  // float32 may be computed in float16
};

}  // namespace nnrt::nnapi
