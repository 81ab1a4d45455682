// Gemms of matrices.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

Result<TensorId> scaled(Call& call, TensorId x, float factor) {
  if (factor == 1) return x;
  return call.emit(OH_NN_OPS_MUL, {x, call.number_like(x, factor)});
}

// True for one number for each column of the result.
bool is_bias(Call& call, TensorId c, int64_t columns) {
  const std::optional<int64_t> count = element_count(call.shape(c));
  const nnrt::Shape& shape = call.shape(c);
  return count && (*count == 1 || (*count == columns && shape.back() == columns));
}

Result<TensorId> as_bias(Call& call, TensorId c, int64_t columns) {
  if (element_count(call.shape(c)) == columns) return call.reshape(c, {columns});
  NNRT_ASSIGN(const TensorId one, call.reshape(c, {1}));
  return call.emit(OH_NN_OPS_BROADCAST_TO, {one}, {int64s_parameter(OH_NN_BROADCAST_TO_SHAPE, {columns})});
}

Result<TensorId> full_connection(Call& call, TensorId a, TensorId weights, std::optional<TensorId> bias) {
  Ids inputs{a, weights};
  if (bias) inputs.push_back(*bias);
  return call.emit(OH_NN_OPS_FULL_CONNECTION, inputs,
                   {int64_parameter(OH_NN_FULL_CONNECTION_AXIS, call.rank(a) - 1),
                    call.take_activation(OH_NN_FULL_CONNECTION_ACTIVATIONTYPE)});
}

// alpha A' B' + beta C. With constant weights a full connection.
Result<Ids> gemm(Call& call) {
  NNRT_ASSIGN(TensorId a, call.input(0));
  NNRT_ASSIGN(TensorId b, call.input(1));
  if (call.rank(a) != 2 || call.rank(b) != 2)
    return damaged("A matrix has rank (", call.rank(a), "), (", call.rank(b), ") instead of 2.");
  const float alpha = call.attributes.real("alpha", 1), beta = call.attributes.real("beta", 1);
  const bool transposed = call.attributes.integer("transB", 0) != 0;
  if (call.attributes.integer("transA", 0) != 0) {
    NNRT_ASSIGN(a, call.transpose(a, {1, 0}));
  }
  if (call.is_quantized_call() && (alpha != 1 || beta != 1))
    return unsupported("Factors of a quantized GEMM are not supported.");
  NNRT_ASSIGN(b, scaled(call, b, alpha));
  NNRT_ASSIGN(const TensorId weights, transposed ? Result<TensorId>(b) : call.transpose(b, {1, 0}));
  const int64_t columns = call.shape(weights)[0];
  if (call.is_quantized_call()) {
    NNRT_ASSIGN(const TensorId bias, bias_of(call, 2, a, weights, columns));
    NNRT_ASSIGN(const TensorId vector, as_bias(call, bias, columns));
    return single(full_connection(call, a, weights, vector));
  }
  if (!call.has(2) || beta == 0) return single(full_connection(call, a, weights, {}));
  NNRT_ASSIGN(const TensorId given, call.input(2));
  NNRT_ASSIGN(const TensorId c, scaled(call, given, beta));
  if (columns != kUnknown && is_bias(call, c, columns)) {
    NNRT_ASSIGN(const TensorId bias, as_bias(call, c, columns));
    return single(full_connection(call, a, weights, bias));
  }
  NNRT_ASSIGN(const TensorId product, call.emit(OH_NN_OPS_FULL_CONNECTION, {a, weights},
                                                {int64_parameter(OH_NN_FULL_CONNECTION_AXIS, 1)}));
  return single(call.emit(OH_NN_OPS_ADD, {product, c}, {call.take_activation(OH_NN_ADD_ACTIVATIONTYPE)}));
}

// Quantized values with a scale for each column are the weights of a full connection.
Result<Ids> matmul(Call& call) {
  NNRT_ASSIGN(const TensorId a, call.input(0));
  NNRT_ASSIGN(const TensorId b, call.input(1));
  if (!call.is_quantized_call() || call.rank(b) != 2 || !call.emitter().is_constant(b))
    return single(call.emit(OH_NN_OPS_MATMUL, {a, b}, {call.take_activation(OH_NN_MATMUL_ACTIVATION_TYPE)}));
  NNRT_ASSIGN(const TensorId weights, call.transpose(b, {1, 0}));
  return single(full_connection(call, a, weights, {}));
}

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// "bij,bjk->bik": letters alone; each at most once in a term.
Result<Equation> read_equation(const std::string& text) {
  Equation equation;
  std::string rest, letters;
  for (const char c : text) {
    if (c != ' ') rest += c;
  }
  const size_t arrow = rest.find("->");
  const std::string left = rest.substr(0, arrow);
  for (size_t at = 0; at <= left.size();) {
    const size_t comma = std::min(left.find(',', at), left.size());
    equation.inputs.push_back(left.substr(at, comma - at));
    at = comma + 1;
  }
  for (const std::string& term : equation.inputs) {
    for (const char c : term) {
      if (!std::isalpha(static_cast<unsigned char>(c)) || std::ranges::count(term, c) > 1)
        return unsupported("The equation (", text, ") is not supported.");
      letters += c;
    }
  }
  if (arrow != std::string::npos) {
    equation.output = rest.substr(arrow + 2);
  } else {
    std::ranges::copy_if(letters, std::back_inserter(equation.output),
                         [&](char c) { return std::ranges::count(letters, c) == 1; });
    std::ranges::sort(equation.output);
  }
  for (const char c : equation.output) {
    if (letters.find(c) == std::string::npos || std::ranges::count(equation.output, c) > 1)
      return unsupported("The equation (", text, ") is not supported.");
  }
  return equation;
}

Result<TensorId> ordered(Call& call, TensorId x, const std::string& from, const std::string& to) {
  std::vector<int64_t> order;
  for (const char c : to) order.push_back(static_cast<int64_t>(from.find(c)));
  return call.transpose(x, order);
}

// Sums over the letters that only this operand has; `term` loses them.
Result<TensorId> summed(Call& call, TensorId x, std::string& term, const std::string& retained) {
  std::vector<int64_t> axes;
  std::string rest;
  for (size_t i = 0; i < term.size(); ++i) {
    if (retained.find(term[i]) == std::string::npos) {
      axes.push_back(static_cast<int64_t>(i));
    } else {
      rest += term[i];
    }
  }
  if (axes.empty()) return x;
  term = rest;
  return call.emit(OH_NN_OPS_REDUCE_SUM, {x, call.emitter().integers(axes)});
}

int64_t extent(Call& call, TensorId x, const std::string& term, const std::string& letters) {
  int64_t result = 1;
  for (const char c : letters) result *= call.shape(x)[term.find(c)];
  return result;
}

// Two operands as matrices: shared letters in the result, rows, columns, and letters that are summed over.
Result<TensorId> contracted(Call& call, TensorId a, std::string left, TensorId b, std::string right,
                            const std::string& output) {
  NNRT_ASSIGN(a, summed(call, a, left, right + output));
  NNRT_ASSIGN(b, summed(call, b, right, left + output));
  if (!is_static(call.shape(a)) || !is_static(call.shape(b)))
    return unsupported("An equation on unknown shapes is not supported.");
  std::string batch, rows, columns, inner;
  for (const char c : left) {
    const bool in_right = right.find(c) != std::string::npos, in_output = output.find(c) != std::string::npos;
    (in_right ? (in_output ? batch : inner) : rows) += c;
  }
  for (const char c : right) {
    if (left.find(c) == std::string::npos) columns += c;
  }
  NNRT_ASSIGN(const TensorId transposed_a, ordered(call, a, left, batch + rows + inner));
  NNRT_ASSIGN(const TensorId transposed_b, ordered(call, b, right, batch + inner + columns));
  const int64_t count = extent(call, a, left, batch), middle = extent(call, a, left, inner);
  NNRT_ASSIGN(const TensorId x, call.reshape(transposed_a, {count, extent(call, a, left, rows), middle}));
  NNRT_ASSIGN(const TensorId y, call.reshape(transposed_b, {count, extent(call, b, right, inner),
                                                            extent(call, b, right, columns)}));
  NNRT_ASSIGN(const TensorId product, call.emit(OH_NN_OPS_MATMUL, {x, y}));
  nnrt::Shape shape;
  for (const char c : batch + rows) shape.push_back(call.shape(a)[left.find(c)]);
  for (const char c : columns) shape.push_back(call.shape(b)[right.find(c)]);
  NNRT_ASSIGN(const TensorId result, call.reshape(product, shape));
  return ordered(call, result, batch + rows + columns, output);
}

Result<Ids> einsum(Call& call) {
  NNRT_ASSIGN(Equation equation, read_equation(call.attributes.text("equation")));
  NNRT_ASSIGN(const Ids inputs, call.all_inputs());
  if (inputs.size() != equation.inputs.size())
    return damaged("The equation has ", equation.inputs.size(), " operands, the node ", inputs.size(), ".");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (equation.inputs[i].size() != static_cast<size_t>(call.rank(inputs[i])))
      return damaged("Rank (", call.rank(inputs[i]), ") of input ", i, " is not that of the equation.");
  }
  if (inputs.size() == 2)
    return single(
        contracted(call, inputs[0], equation.inputs[0], inputs[1], equation.inputs[1], equation.output));
  if (inputs.size() != 1) return unsupported("An equation of ", inputs.size(), " operands is not supported.");
  std::string term = equation.inputs[0];
  NNRT_ASSIGN(const TensorId x, summed(call, inputs[0], term, equation.output));
  return single(ordered(call, x, term, equation.output));
}

}  // namespace

std::vector<Row> matmul_rows() {
  return {
      {"Einsum", einsum},
      {"Gemm", gemm, {}, 2, true},
      {"MatMul", matmul, {}, 2, true},
  };
}

}  // namespace nnrt::import::onnx
