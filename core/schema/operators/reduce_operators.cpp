// Reductions over axes (R19), and argmax.
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <cmath>

namespace nnrt {
namespace {

Status check_coefficient(const NodeView& node) {
  const double coeff = node.attrs().real(Attr::coeff);
  const bool acts = node.attrs().flag(Attr::reduce_to_end) && std::abs(coeff) > 1e-5 && coeff != 1;
  if (!acts || !(kIndex | DType::u64).contains(node.dtype())) return {};
  return unsupported("Coefficient (", coeff, ") of an ", name(node.dtype()), " reduction is not 1.");
}

struct ReduceParams {
  Param keep_dims, to_end, coeff;
};

OpSchema reduce(Op op, const InputRow& input, const ReduceParams& p) {
  return {.op = op,
          .quantized = input.quantized_only,
          .inputs = {input, value_input("axis")},
          .params = {flag_param(p.keep_dims, Attr::keep_dims), flag_param(p.to_end, Attr::reduce_to_end),
                     real_param(p.coeff, Attr::coeff, 1)},
          .outputs = {{.name = "output"}},
          .infer = reduced_shape,
          .check = check_coefficient};
}

OpSchema reduce(Op op, DTypeSet dtypes, const ReduceParams& p) {
  return reduce(op, InputRow{.name = "input", .dtypes = dtypes}, p);
}

constexpr DTypeSet kReduced = kFloat | kIndex | DTypeSet{DType::u64, DType::f64};

OpSchema all() {
  return {.op = Op::all,
          .inputs = {{.name = "input", .dtypes = kOrdered | DType::boolean}, value_input("axis")},
          .params = {integer_param(Param::all_keep_dims, Attr::keep_dims, 0)},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::boolean}},
          .infer = reduced_shape};
}

Status check_arg_max_output(const NodeView& node) {
  const DType output = node.output(0).dtype;
  if (!node.attrs().flag(Attr::out_max_value)) {
    if (kIndex.contains(output)) return {};
    return invalid("Output dtype (", name(output), ") of positions is neither INT32 nor INT64.");
  }
  if (output == node.dtype()) return {};
  return invalid("Output dtype (", name(output), ") of values is not the input's (", name(node.dtype()),
                 ").");
}

Result<Shapes> arg_max_shape(const NodeView& node) {
  Shape shape = node.shape(0).empty() ? Shape{1} : node.shape(0);
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
  const int64_t k = node.attrs().integer(Attr::top_k);
  int64_t& length = shape[size_t(axis)];
  if (k < 1 || (length != kUnknown && k > length)) {
    return invalid("Top k (", k, ") is outside [1, ", length, "].");
  }
  length = k;
  if (k == 1 && !node.attrs().flag(Attr::keep_dims)) shape.erase(shape.begin() + axis);
  return Shapes{shape};
}

OpSchema arg_max() {
  return {.op = Op::arg_max,
          .inputs = {{.name = "input", .dtypes = kOrdered}},
          .params = {integer_param(Param::arg_max_axis, Attr::axis, -1),
                     flag_param(Param::arg_max_keepdims, Attr::keep_dims),
                     integer_param(Param::arg_max_top_k, Attr::top_k, 1),
                     flag_param(Param::arg_max_out_max_value, Attr::out_max_value)},
          .outputs = {{.name = "output", .rule = DTypeRule::from_attrs, .dtypes = kOrdered}},
          .infer = arg_max_shape,
          .check = check_arg_max_output};
}

}  // namespace

std::vector<OpSchema> reduce_rows() {
  OpSchema mean =
      reduce(Op::reduce_mean, quantized_input("input", kReduced),
             {Param::reduce_mean_keep_dims, Param::reduce_mean_reduce_to_end, Param::reduce_mean_coeff});
  return {
      std::move(mean),
      reduce(Op::reduce_prod, kReduced,
             {Param::reduce_prod_keep_dims, Param::reduce_prod_reduce_to_end, Param::reduce_prod_coeff}),
      reduce(Op::reduce_all, DType::boolean,
             {Param::reduce_all_keep_dims, Param::reduce_all_reduce_to_end, Param::reduce_all_coeff}),
      reduce(Op::reduce_max, kReduced,
             {Param::reduce_max_keep_dims, Param::reduce_max_reduce_to_end, Param::reduce_max_coeff}),
      reduce(Op::reduce_min, kReduced,
             {Param::reduce_min_keep_dims, Param::reduce_min_reduce_to_end, Param::reduce_min_coeff}),
      reduce(Op::reduce_sum, kReduced,
             {Param::reduce_sum_keep_dims, Param::reduce_sum_reduce_to_end, Param::reduce_sum_coeff}),
      reduce(Op::reduce_l2, kFloat | DType::f64,
             {Param::reduce_l2_keep_dims, Param::reduce_l2_reduce_to_end, Param::reduce_l2_coeff}),
      all(),
      arg_max(),
  };
}

}  // namespace nnrt
