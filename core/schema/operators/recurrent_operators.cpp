// GRU and RNN: a single layer; the weights' first dimension is the number of directions.
#include "core/schema/rules.h"

namespace nnrt {
namespace {

constexpr int64_t kBoth = 2;  // the value of a direction parameter

// Checks that dimension 1 of an operand is `times` hidden sizes.
Status check_gates(const NodeView& node, size_t input, int64_t times, int64_t hidden) {
  if (hidden < 0) return {};
  return require_dimension(node, input, 1, times * hidden, cat(times, " hidden sizes"));
}

Status check_operands(const NodeView& node, int64_t gates, int64_t directions, int64_t hidden) {
  const Shape& input = node.shape(0);
  NNRT_TRY(require_dimension(node, 1, 2, input[2], "the input size"));
  NNRT_TRY(require_dimension(node, 2, 2, hidden, "the hidden size"));
  NNRT_TRY(require_dimension(node, 4, 1, input[1], "the batch"));
  for (size_t i = 1; i <= 4; ++i)
    NNRT_TRY(require_dimension(node, i, 0, directions, "the number of directions"));
  for (size_t i = 1; i <= 2; ++i) NNRT_TRY(check_gates(node, i, gates, hidden));
  return check_gates(node, 3, 2 * gates, hidden);
}

// The hidden size is the last dimension of hx and of the recurrent weights.
Result<Shapes> recurrent_shape(const NodeView& node, int64_t gates) {
  for (const size_t i : {0, 1, 2, 4}) NNRT_TRY(require_rank(node, i, 3, 3));
  NNRT_TRY(require_rank(node, 3, 2, 2));
  const int64_t directions = node.attrs().integer(Attr::direction) == kBoth ? 2 : 1;
  int64_t hidden = node.shape(4)[2];
  if (hidden < 0) hidden = node.shape(2)[2];
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  if (hidden > kLargest) return invalid("The hidden size (", hidden, ") is too large.");
  NNRT_TRY(check_operands(node, gates, directions, hidden));
  const Shape& input = node.shape(0);
  int64_t batch = input[1] < 0 ? node.shape(4)[1] : input[1];
  return Shapes{{input[0], batch, hidden < 0 ? kUnknown : directions * hidden}, {directions, batch, hidden}};
}

template <int64_t gates>
Result<Shapes> shape_of(const NodeView& node) {
  return recurrent_shape(node, gates);
}

OpSchema recurrent(Op op, InferFunction infer, std::vector<ParamRow> params) {
  return {.op = op,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "wIh", .same_as = 0},
                     {.name = "wHh", .same_as = 0},
                     {.name = "bias", .same_as = 0},
                     {.name = "hx", .same_as = 0}},
          .params = std::move(params),
          .outputs = {{.name = "output"}, {.name = "hy"}},
          .infer = infer};
}

}  // namespace

std::vector<OpSchema> recurrent_rows() {
  return {recurrent(Op::gru, shape_of<3>,
                    {choice_param(Param::gru_direction, Attr::direction, DType::i8, 3),
                     flag_param(Param::gru_linear_before_reset, Attr::linear_before_reset)}),
          recurrent(Op::rnn, shape_of<1>,
                    {choice_param(Param::rnn_direction, Attr::direction, DType::i8, 3),
                     choice_param(Param::rnn_activation_type, Attr::mode, DType::i8, 2)})};
}

}  // namespace nnrt
