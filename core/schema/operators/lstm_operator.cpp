// LSTM: sizes come from the shapes; parameters must agree with them.
#include "core/schema/operators/lstm_operator.h"

#include "core/schema/rules.h"

namespace nnrt {
namespace {

// Collects one size from parameters and operands, and checks that they agree.
class Size {
 public:
  explicit Size(std::string_view what) : what_(what) {}

  Status merge(int64_t value) {
    if (conflict(value_, value)) return invalid("The ", what_, " is both ", value_, " and ", value, ".");
    if (value_ == kUnknown) value_ = value;
    return {};
  }
  // 0 is "not given".
  Status merge_param(int64_t value) {
    if (value < 0) return invalid("The ", what_, " (", value, ") is below 0.");
    return value == 0 ? Status() : merge(value);
  }
  int64_t value() const { return value_; }

 private:
  std::string_view what_;
  int64_t value_ = kUnknown;
};

struct Sizes {
  Size steps{"sequence length"}, batch{"batch"}, input{"input size"}, hidden{"hidden size"},
      states{"number of layers times directions"};
};

// Dimensions of one operand, in the order of the specification; multiples of the hidden size are checked
// separately.
Status merge_shape(const NodeView& node, size_t input, std::initializer_list<Size*> sizes) {
  NNRT_TRY(require_rank(node, input, sizes.size(), sizes.size()));
  size_t d = 0;
  for (Size* size : sizes) {
    if (size != nullptr) NNRT_TRY(size->merge(node.shape(input)[d]));
    ++d;
  }
  return {};
}

Result<Sizes> sizes_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  Sizes sizes;
  NNRT_TRY(sizes.input.merge_param(attrs.integer(Attr::input_size)));
  NNRT_TRY(sizes.hidden.merge_param(attrs.integer(Attr::hidden_size)));
  NNRT_TRY(merge_shape(node, 0, {&sizes.steps, &sizes.batch, &sizes.input}));
  NNRT_TRY(merge_shape(node, 1, {&sizes.states, nullptr, &sizes.input}));
  NNRT_TRY(merge_shape(node, 2, {&sizes.states, nullptr, &sizes.hidden}));
  NNRT_TRY(merge_shape(node, 3, {&sizes.states, nullptr}));
  NNRT_TRY(merge_shape(node, 4, {&sizes.states, &sizes.batch, &sizes.hidden}));
  NNRT_TRY(merge_shape(node, 5, {&sizes.states, &sizes.batch, &sizes.hidden}));
  const int64_t hidden = sizes.hidden.value();
  if (hidden > std::numeric_limits<int32_t>::max())
    return invalid("The hidden size (", hidden, ") is too large.");
  if (hidden >= 0) {
    for (size_t i = 1; i <= 2; ++i) NNRT_TRY(require_dimension(node, i, 1, 4 * hidden, "4 hidden sizes"));
    NNRT_TRY(require_dimension(node, 3, 1, 8 * hidden, "8 hidden sizes"));
  }
  return sizes;
}

Status check_numbers(const Attrs& attrs) {
  if (attrs.integer(Attr::proj_size) != 0) {
    return invalid("The projection size (", attrs.integer(Attr::proj_size), ") is not 0.");
  }
  for (const Attr attr : {Attr::dropout, Attr::zoneout_cell, Attr::zoneout_hidden}) {
    const double value = attrs.real(attr);
    if (!(value >= 0 && value <= 1)) return invalid("Dropout or zoneout (", value, ") is outside [0, 1].");
  }
  const double clip = attrs.real(Attr::cell_clip);
  if (!(clip >= 0)) return invalid("The cell clip (", clip, ") is below 0.");
  return {};
}

Result<Shapes> lstm_shape(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  NNRT_TRY(check_numbers(attrs));
  NNRT_ASSIGN(const Sizes sizes, sizes_of(node));
  const int64_t directions = attrs.flag(Attr::bidirectional) ? 2 : 1;
  Size given_directions("number of directions");
  NNRT_TRY(given_directions.merge(directions));
  NNRT_TRY(given_directions.merge_param(attrs.integer(Attr::num_directions)));
  const int64_t given_layers = attrs.integer(Attr::num_layers);
  const int64_t layers = given_layers == 0 ? 1 : given_layers;
  const int64_t states = sizes.states.value();
  if (layers < 1) return invalid("The number of layers (", layers, ") is below 1.");
  if (states >= 0 && (states % directions != 0 || states / directions != layers)) {
    return invalid("The weights are for ", states, " layers times directions, not for ", layers, " times ",
                   directions, ".");
  }
  const int64_t hidden = sizes.hidden.value();
  const int64_t width = hidden < 0 ? kUnknown : hidden * directions;
  if (layers > 1 && conflict(sizes.input.value(), width)) {
    return invalid("The input size (", sizes.input.value(), ") of several layers is not the output's width (",
                   width, ").");
  }
  const Shape state{states, sizes.batch.value(), hidden};
  return Shapes{{sizes.steps.value(), sizes.batch.value(), width}, state, state};
}

}  // namespace

OpSchema lstm_row() {
  return {.op = Op::lstm,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "wIh", .same_as = 0},
                     {.name = "wHh", .same_as = 0},
                     {.name = "bias", .same_as = 0},
                     {.name = "hx", .same_as = 0},
                     {.name = "cx", .same_as = 0}},
          .params = {flag_param(Param::lstm_bidirectional, Attr::bidirectional),
                     flag_param(Param::lstm_has_bias, Attr::has_bias),
                     integer_param(Param::lstm_input_size, Attr::input_size, 0),
                     integer_param(Param::lstm_hidden_size, Attr::hidden_size, 0),
                     integer_param(Param::lstm_num_layers, Attr::num_layers, 0),
                     integer_param(Param::lstm_num_directions, Attr::num_directions, 0),
                     real_param(Param::lstm_dropout, Attr::dropout, 0),
                     real_param(Param::lstm_zoneout_cell, Attr::zoneout_cell, 0),
                     real_param(Param::lstm_zoneout_hidden, Attr::zoneout_hidden, 0),
                     integer_param(Param::lstm_proj_size, Attr::proj_size, 0),
                     real_param(Param::lstm_cell_clip, Attr::cell_clip, 0)},
          .outputs = {{.name = "output"}, {.name = "hy"}, {.name = "cy"}},
          .infer = lstm_shape};
}

}  // namespace nnrt
