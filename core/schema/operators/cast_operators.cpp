// Conversions between dtypes.
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

namespace nnrt {
namespace {

// AddOperation has already checked the value (R4). A different dtype is an error of Build.
Status check_cast_type(const NodeView& node) {
  const auto type = node.integers(1);
  if (!type || node.dtype(1) != DType::i32 || type->empty()) return {};
  if (type->front() >= 1 && type->front() < kDTypeCount) return {};
  return invalid("Type (", type->front(), ") is outside [1, ", kDTypeCount - 1, "].");
}

// Only INT8 can be shifted (to represent UINT8).
Status check_shifted(const Attrs& attrs, Attr attr, DType dtype, std::string_view what) {
  if (!attrs.is_set(attr) || dtype == DType::i8) return {};
  return invalid("The ", what, " is shifted, but ", name(dtype), ", not INT8.");
}

Status check_cast(const NodeView& node) {
  NNRT_TRY(check_shifted(node.attrs(), Attr::source_shifted, node.dtype(), "input"));
  NNRT_TRY(check_shifted(node.attrs(), Attr::target_shifted, node.output(0).dtype, "output"));
  NNRT_TRY(require_one_element(node, 1));
  const auto type = node.integers(1);
  if (!type) return invalid("The type is not constant.");
  NNRT_TRY(check_cast_type(node));
  if (DType(type->front()) == node.output(0).dtype) return {};
  return invalid("Output dtype (", name(node.output(0).dtype), ") is not the type (",
                 name(DType(type->front())), ").");
}

OpSchema cast() {
  return {
      .op = Op::cast,
      .inputs = {{.name = "input", .dtypes = kAny}, {.name = "type", .dtypes = DType::i32, .constant = true}},
      .params = {flag_param(Param::cast_saturate, Attr::saturate),
                 flag_param(Param::cast_source_shifted, Attr::source_shifted),
                 flag_param(Param::cast_target_shifted, Attr::target_shifted)},
      .outputs = {{.name = "output", .rule = DTypeRule::from_attrs, .dtypes = kAny}},
      .infer = same_shape,
      .check = check_cast,
      .operation_check = check_cast_type};
}

Status require_code(const NodeView& node, Attr attr, DType wanted, std::string_view what) {
  const int64_t code = node.attrs().integer(attr);
  const auto dtype = dtype_of_code(code);
  if (!dtype) return invalid(what, " (", code, ") is not the code of a dtype.");
  if (*dtype == wanted) return {};
  return invalid(what, " (", code, ", ", name(*dtype), ") is not the tensor's (", name(wanted), ").");
}

Status check_quant_cast(const NodeView& node) {
  const Tensor& from = node.input(0);
  const Tensor& to = node.output(0);
  NNRT_TRY(require_code(node, Attr::source_type, from.dtype, "Source dtype"));
  NNRT_TRY(require_code(node, Attr::target_type, to.dtype, "Target dtype"));
  if (is_float(from.dtype) && is_float(to.dtype)) {
    return unsupported("Neither ", name(from.dtype), " nor ", name(to.dtype), " is a quantized dtype.");
  }
  if (is_float(from.dtype) == is_float(to.dtype) || !from.quant.empty() || !to.quant.empty()) return {};
  return invalid("Neither input nor output has quantization parameters.");
}

// One scale, or one per index of the axis.
Result<Shapes> quant_cast_shape(const NodeView& node) {
  for (const Tensor* tensor : {&node.input(0), &node.output(0)}) {
    const size_t scales = tensor->quant.scales.size();
    if (scales < 2) continue;
    NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), node.shape(0).size()));
    const int64_t channels = node.shape(0)[size_t(axis)];
    if (conflict(channels, int64_t(scales))) {
      return invalid("The number of scales (", scales, ") is neither 1 nor the length of axis ", axis, " (",
                     channels, ").");
    }
  }
  return same_shape(node);
}

OpSchema quant_dtype_cast() {
  constexpr DTypeSet kDTypes = kFloat | DTypeSet{DType::i8, DType::u8};
  return {.op = Op::quant_dtype_cast,
          .quantized = true,
          .inputs = {{.name = "input", .dtypes = kDTypes}},
          .params = {required(integer_param(Param::quant_dtype_cast_src_t, Attr::source_type)),
                     required(integer_param(Param::quant_dtype_cast_dst_t, Attr::target_type)),
                     integer_param(Param::quant_dtype_cast_axis, Attr::axis, 0)},
          .outputs = {{.name = "output", .rule = DTypeRule::from_attrs, .dtypes = kDTypes}},
          .infer = quant_cast_shape,
          .check = check_quant_cast};
}

Result<Shapes> dynamic_quantize_shapes(const NodeView& node) { return Shapes{node.shape(0), {}, {}}; }

OpSchema dynamic_quantize() {
  return {.op = Op::dynamic_quantize,
          .inputs = {{.name = "input", .dtypes = DType::f32}},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::i8},
                      {.name = "scale", .rule = DTypeRule::fixed, .dtypes = DType::f32},
                      {.name = "zeroPoint", .rule = DTypeRule::fixed, .dtypes = DType::i32}},
          .infer = dynamic_quantize_shapes};
}

}  // namespace

std::vector<OpSchema> cast_rows() { return {cast(), quant_dtype_cast(), dynamic_quantize()}; }

}  // namespace nnrt
