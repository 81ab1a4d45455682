// Constraints between the operands of an operation.
#include "nnapi/model/operand_types.h"
#include "nnapi/operations/operation_row.h"

#include <algorithm>
#include <optional>

namespace nnrt::nnapi {
namespace {

using Operands = std::span<const Operand* const>;

size_t rank_of(const Operand& operand) { return operand.type.dimensions.size(); }  // 0: unknown

bool is_quantized(const Operand& operand) {
  return operand.type.code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
         operand.type.code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

Outcome require_quant(const Operand& wanted, const Operand& given, std::string_view what) {
  if (!is_quantized(wanted) ||
      (wanted.type.scale == given.type.scale && wanted.type.zero_point == given.type.zero_point))
    return {};
  return bad_data(what, " has scale ", given.type.scale, " and zero point ", given.type.zero_point,
                  " instead of ", wanted.type.scale, " and ", wanted.type.zero_point, ".");
}

// Unknown ranks (0) match.
Outcome require_rank(size_t wanted, const Operand& given, std::string_view what) {
  const size_t rank = rank_of(given);
  if (wanted == 0 || rank == 0 || wanted == rank) return {};
  return bad_data(what, " has rank ", rank, " instead of ", wanted, ".");
}

// All inputs have the same rank, and the result has one more dimension.
Outcome check_pack(Operands inputs, Operands outputs) {
  const Operands parts = inputs.subspan(1);
  const auto known = std::ranges::find_if(parts, [](const Operand* part) { return rank_of(*part) != 0; });
  const size_t rank = known == parts.end() ? 0 : rank_of(**known);
  for (size_t i = 1; i < parts.size(); ++i) {
    NNRT_TRY(require_quant(*parts[0], *parts[i], cat("Input ", i + 1)));
    NNRT_TRY(require_rank(rank, *parts[i], cat("Input ", i + 1)));
  }
  NNRT_TRY(require_quant(*parts[0], *outputs[0], "The output"));
  return require_rank(rank == 0 ? 0 : rank + 1, *outputs[0], "The output");
}

Outcome check_like_input(Operands inputs, Operands outputs) {
  NNRT_TRY(require_quant(*inputs[0], *outputs[0], "The output"));
  return require_rank(rank_of(*inputs[0]), *outputs[0], "The output");
}

// There must be a single axis.
Outcome check_reverse(Operands inputs, Operands outputs) {
  NNRT_TRY(check_like_input(inputs, outputs));
  const Dimensions& axes = inputs[1]->type.dimensions;
  if (axes.empty() || axes[0] <= 1) return {};
  return bad_data("There are ", axes[0], " axes instead of 1.");
}

// Two paddings per dimension.
Outcome check_mirror_pad(Operands inputs, Operands outputs) {
  NNRT_TRY(check_like_input(inputs, outputs));
  const Dimensions& paddings = inputs[1]->type.dimensions;
  const size_t rank = rank_of(*inputs[0]);
  if (paddings.empty()) return {};
  if ((rank == 0 || paddings[0] == 0 || paddings[0] == rank) && (paddings[1] == 0 || paddings[1] == 2))
    return {};
  return bad_data("The paddings have the shape ", text_of(paddings), " for an input of rank ", rank, ".");
}

Outcome check_mul(Operands inputs, Operands outputs) {
  const float product = inputs[0]->type.scale * inputs[1]->type.scale;
  if (!is_quantized(*inputs[0]) || outputs[0]->type.scale > product) return {};
  return bad_data("The scale of the output (", outputs[0]->type.scale, ") is not above ", product,
                  ", the product of the inputs' scales.");
}

// Per-channel scales of a filter must be along its output channels.
template <uint32_t kDimension>
Outcome check_filter(Operands inputs, Operands) {
  const auto& quant = inputs[1]->channel_quant;
  if (!quant || quant->dimension == kDimension) return {};
  return bad_data("The channels of the filter are dimension ", quant->dimension, " instead of ", kDimension,
                  ".");
}

// The filter has one row per bias, and the input is divisible into rows of that length.
Outcome check_fully_connected(Operands inputs, Operands) {
  const auto &data = inputs[0]->type, &filter = inputs[1]->type, &bias = inputs[2]->type;
  const bool is_bias_given = inputs[2]->source != Source::omitted && !bias.dimensions.empty();
  if (filter.dimensions.empty()) return {};
  const uint32_t units = filter.dimensions[0], length = filter.dimensions[1];
  if (is_bias_given && units != 0 && bias.dimensions[0] != 0 && bias.dimensions[0] != units)
    return bad_data("There are ", bias.dimensions[0], " biases for ", units, " units.");
  if (!is_fully_known(data) || length == 0) return {};
  uint64_t elements = 1;  // below 2^32
  for (const uint32_t dimension : data.dimensions) elements *= dimension;
  if (elements % length == 0) return {};
  return bad_data("The input's elements (", elements, ") do not divide into rows of ", length, ".");
}

struct Constraint {
  int32_t code;
  Outcome (*check)(Operands inputs, Operands outputs);
};

constexpr Constraint kConstraints[] = {
    {ANEURALNETWORKS_MUL, check_mul},
    {ANEURALNETWORKS_PACK, check_pack},
    {ANEURALNETWORKS_REVERSE, check_reverse},
    {ANEURALNETWORKS_MIRROR_PAD, check_mirror_pad},
    {ANEURALNETWORKS_CONV_2D, check_filter<0>},
    {ANEURALNETWORKS_GROUPED_CONV_2D, check_filter<0>},
    {ANEURALNETWORKS_TRANSPOSE_CONV_2D, check_filter<0>},
    {ANEURALNETWORKS_DEPTHWISE_CONV_2D, check_filter<3>},
    {ANEURALNETWORKS_FULLY_CONNECTED, check_fully_connected},
};

// The rank of the result if determined by the inputs; 0: unknown.
size_t rank_of_result(int32_t code, Operands inputs) {
  const size_t first = rank_of(*inputs[0]);
  const Dimensions& sizes = inputs[0]->type.dimensions;
  switch (code) {
    case ANEURALNETWORKS_EXPAND_DIMS: return first == 0 ? 0 : first + 1;
    case ANEURALNETWORKS_PACK: {
      const size_t rank = rank_of(*inputs[1]);
      return rank == 0 ? 0 : rank + 1;
    }
    case ANEURALNETWORKS_GATHER: {
      const size_t indices = rank_of(*inputs[2]);
      return first == 0 || indices == 0 ? 0 : first + indices - 1;
    }
    case ANEURALNETWORKS_EMBEDDING_LOOKUP: {
      const size_t values = rank_of(*inputs[1]);
      return first == 0 || values == 0 ? 0 : first + values - 1;
    }
    case ANEURALNETWORKS_FILL: return sizes.size() == 1 ? sizes[0] : 0;
    case ANEURALNETWORKS_RESHAPE: {
      const Dimensions& shape = inputs[1]->type.dimensions;
      return shape.size() == 1 ? shape[0] : 0;
    }
    default: return 0;
  }
}

Outcome check(int32_t code, Operands inputs, Operands outputs) {
  const auto found = std::ranges::find(kConstraints, code, &Constraint::code);
  return found == std::end(kConstraints) ? Outcome() : found->check(inputs, outputs);
}

}  // namespace

Outcome check_constraints(const OperationRow& row, Operands inputs, Operands outputs) {
  const Outcome outcome = check(row.code, inputs, outputs);
  if (outcome.ok()) return {};
  return bad_data(outcome.error().message, " While adding ", row.name, ".");
}

size_t highest_rank(int32_t code, Operands inputs, Operands outputs) {
  size_t rank = rank_of_result(code, inputs);
  for (const Operands side : {inputs, outputs}) {
    for (const Operand* const operand : side) rank = std::max(rank, rank_of(*operand));
  }
  return rank;
}

}  // namespace nnrt::nnapi
