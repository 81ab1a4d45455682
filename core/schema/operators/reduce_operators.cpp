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

// Tensor types of KEEP_DIMS, REDUCE_TO_END and COEFF, and their names.
struct ReduceParams {
  int keep_dims, to_end, coeff;
  std::string_view keep_dims_name, to_end_name, coeff_name;
};

OpSchema reduce(Op op, int since_level, const InputRow& input, const ReduceParams& p) {
  return {.op = op,
          .since = since_level,
          .quantized = input.quantized_only,
          .inputs = {input, value_input("axis")},
          .params = {flag_param(p.keep_dims, p.keep_dims_name, Attr::keep_dims),
                     flag_param(p.to_end, p.to_end_name, Attr::reduce_to_end),
                     real_param(p.coeff, p.coeff_name, Attr::coeff, 1)},
          .outputs = {{.name = "output"}},
          .infer = reduced_shape,
          .check = check_coefficient};
}

OpSchema reduce(Op op, int since_level, DTypeSet dtypes, const ReduceParams& p) {
  return reduce(op, since_level, InputRow{.name = "input", .dtypes = dtypes}, p);
}

constexpr DTypeSet kReduced = kFloat | kIndex | DTypeSet{DType::u64, DType::f64};

OpSchema all() {
  return {.op = Op::all,
          .since = 12,
          .inputs = {{.name = "input", .dtypes = kOrdered | DType::boolean}, value_input("axis")},
          .params = {integer_param(105, "OH_NN_ALL_KEEP_DIMS", Attr::keep_dims, 0)},
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
          .params = {integer_param(75, "OH_NN_ARG_MAX_AXIS", Attr::axis, -1),
                     flag_param(76, "OH_NN_ARG_MAX_KEEPDIMS", Attr::keep_dims),
                     since(12, integer_param(124, "OH_NN_ARG_MAX_TOP_K", Attr::top_k, 1)),
                     since(12, flag_param(125, "OH_NN_ARG_MAX_OUT_MAX_VALUE", Attr::out_max_value))},
          .outputs = {{.name = "output", .rule = DTypeRule::from_attrs, .dtypes = kOrdered}},
          .infer = arg_max_shape,
          .check = check_arg_max_output};
}

}  // namespace

std::vector<OpSchema> reduce_rows() {
  OpSchema mean = reduce(Op::reduce_mean, 9, quantized_input("input", kReduced),
                         {60, 117, 118, "OH_NN_REDUCE_MEAN_KEEP_DIMS", "OH_NN_REDUCE_MEAN_REDUCE_TO_END",
                          "OH_NN_REDUCE_MEAN_COEFF"});
  return {
      std::move(mean),
      reduce(Op::reduce_prod, 9, kReduced,
             {70, 119, 120, "OH_NN_REDUCE_PROD_KEEP_DIMS", "OH_NN_REDUCE_PROD_REDUCE_TO_END",
              "OH_NN_REDUCE_PROD_COEFF"}),
      reduce(Op::reduce_all, 9, DType::boolean,
             {71, 121, 122, "OH_NN_REDUCE_ALL_KEEP_DIMS", "OH_NN_REDUCE_ALL_REDUCE_TO_END",
              "OH_NN_REDUCE_ALL_COEFF"}),
      reduce(Op::reduce_max, 12, kReduced,
             {151, 152, 153, "OH_NN_REDUCE_MAX_KEEP_DIMS", "OH_NN_REDUCE_MAX_REDUCE_TO_END",
              "OH_NN_REDUCE_MAX_COEFF"}),
      reduce(Op::reduce_min, 12, kReduced,
             {154, 155, 156, "OH_NN_REDUCE_MIN_KEEP_DIMS", "OH_NN_REDUCE_MIN_REDUCE_TO_END",
              "OH_NN_REDUCE_MIN_COEFF"}),
      reduce(Op::reduce_sum, 12, kReduced,
             {157, 158, 159, "OH_NN_REDUCE_SUM_KEEP_DIMS", "OH_NN_REDUCE_SUM_REDUCE_TO_END",
              "OH_NN_REDUCE_SUM_COEFF"}),
      reduce(Op::reduce_l2, 12, kFloat | DType::f64,
             {160, 161, 162, "OH_NN_REDUCE_L2_KEEP_DIMS", "OH_NN_REDUCE_L2_REDUCE_TO_END",
              "OH_NN_REDUCE_L2_COEFF"}),
      all(),
      arg_max(),
  };
}

}  // namespace nnrt
