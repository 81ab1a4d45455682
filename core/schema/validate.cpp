#include "core/schema/validate.h"

#include "core/base/text.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nnrt {
namespace {

const InputRow& input_row(const NodeView& node, size_t i) {
  const std::vector<InputRow>& rows = node.schema().inputs;
  return rows[std::min(i, rows.size() - 1)];
}

const OutputRow& output_row(const NodeView& node, size_t i) {
  const std::vector<OutputRow>& rows = node.schema().outputs;
  return rows[std::min(i, rows.size() - 1)];
}

Status check_required(const NodeView& node) {
  for (const ParamRow& row : node.schema().params) {
    if (row.required && !node.attrs().has(row.attr)) return invalid(row.type_name(), " is absent.");
  }
  return {};
}

// The dtype required for input i by same_as, or its own. The bias of quantized INT8 is INT32 (R12).
DType repeated_dtype(const NodeView& node, size_t i) {
  const InputRow& row = input_row(node, i);
  if (row.many) return node.dtype(0);
  if (row.same_as == kNone) return node.dtype(i);
  const DType dtype = node.dtype(size_t(row.same_as));
  return dtype == DType::i8 && !row.dtypes.contains(DType::i8) ? DType::i32 : dtype;
}

Status check_input(const NodeView& node, size_t i) {
  const InputRow& row = input_row(node, i);
  const DType dtype = node.dtype(i);
  if (!row.dtypes.contains(dtype)) {
    return unsupported("Dtype of ", describe_input(node, i), " (", name(dtype), ") is not one of ",
                       to_string(row.dtypes), ".");
  }
  if (row.quantized_only && dtype == DType::i8 && node.input(i).quant.empty()) {
    return unsupported("INT8 of ", describe_input(node, i), " has no quantization parameters.");
  }
  if (dtype != repeated_dtype(node, i)) {
    return invalid("Dtype of ", describe_input(node, i), " (", name(dtype), ") is not ",
                   name(repeated_dtype(node, i)), ".");
  }
  if (node.shape(i).size() > kMaxTensorRank) {
    return unsupported("Rank of ", describe_input(node, i), " (", node.shape(i).size(), ") is above ",
                       kMaxTensorRank, ".");
  }
  return {};
}

// An input or output; its description is built only for errors.
struct Operand {
  const NodeView& node;
  size_t index;
  bool is_input;

  const Tensor& tensor() const { return is_input ? node.input(index) : node.output(index); }
  bool is_coded() const { return has_quantized_values(node.schema(), tensor()); }
  // The number of per-channel scales allowed; 0 if none.
  int64_t channels() const {
    if (!is_input || !input_row(node, index).per_channel || node.shape(index).empty()) return 0;
    return node.shape(index)[0];
  }
  std::string describe() const { return is_input ? describe_input(node, index) : cat("output ", index); }
};

// Every INT8 operand of a quantized operator needs parameters.
Status check_quantized_values(const Operand& operand) {
  const bool lacks = operand.tensor().dtype == DType::i8 && operand.tensor().quant.empty();
  if (!lacks || !operand.node.is_quantized()) return {};
  return invalid("INT8 of ", operand.describe(), " has no quantization parameters, unlike the first input.");
}

// Devices compute scales in float32 and store zero points as quantized values.
Status check_parameters(const Operand& operand) {
  if (!operand.is_coded()) return {};
  for (const double scale : operand.tensor().quant.scales) {
    if (!(float(scale) > 0) || std::isinf(float(scale))) {
      return invalid("Scale of ", operand.describe(), " (", scale, ") is not a positive number of float32.");
    }
  }
  const bool is_signed = operand.tensor().dtype == DType::i8;
  const int32_t min = is_signed ? INT8_MIN : 0, max = is_signed ? INT8_MAX : UINT8_MAX;
  for (const int32_t zero_point : operand.tensor().quant.zero_points) {
    if (zero_point >= min && zero_point <= max) continue;
    return invalid("Zero point of ", operand.describe(), " (", zero_point, ") is outside [", min, ", ", max,
                   "].");
  }
  return {};
}

Status check_scale_count(const Operand& operand) {
  const size_t scales = operand.tensor().quant.scales.size();
  if (!operand.is_coded() || scales == 1) return {};
  const int64_t channels = operand.channels();
  if (!conflict(channels, int64_t(scales))) return {};
  if (channels == 0) return invalid("Number of scales of ", operand.describe(), " (", scales, ") is not 1.");
  return invalid("Number of scales of ", operand.describe(), " (", scales,
                 ") is neither 1 nor its dimension 0 (", channels, ").");
}

// Quantized values are copied if the parameters are equal; otherwise both sides must have a single scale
// (R11).
Status check_copied_scales(const Operand& from) {
  if (!from.is_input || !from.is_coded()) return {};
  const Quant& source = from.tensor().quant;
  for (size_t i = 0; i < from.node.output_count(); ++i) {
    const Quant& target = from.node.output(i).quant;
    if (target.empty() || source == target) continue;
    if (source.scales.size() == 1 && target.scales.size() == 1) continue;
    return unsupported("Requantizing from ", source.scales.size(), " to ", target.scales.size(),
                       " scales is not supported.");
  }
  return {};
}

Status check_operand_quantization(const Operand& operand) {
  const OpSchema& schema = operand.node.schema();
  NNRT_TRY(check_parameters(operand));
  if (schema.copy) return check_copied_scales(operand);
  if (schema.family == Family::cast) return {};  // QUANT_DTYPE_CAST has its own rules
  NNRT_TRY(check_quantized_values(operand));
  return check_scale_count(operand);
}

Status check_quantization(const NodeView& node) {
  if (!node.schema().quantized && !node.schema().copy) return {};
  for (size_t i = 0; i < node.input_count(); ++i) NNRT_TRY(check_operand_quantization({node, i, true}));
  for (size_t i = 0; i < node.output_count(); ++i) NNRT_TRY(check_operand_quantization({node, i, false}));
  return {};
}

// INT32 sums have no scale, so a fused activation could not clamp them.
Status check_sums(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  if (!attrs.has(Attr::activation) || attrs.integer(Attr::activation) == 0) return {};
  return invalid("Sums of INT32 have no fused activation (", attrs.integer(Attr::activation), ").");
}

Status check_output_dtype(const NodeView& node, size_t i) {
  const OutputRow& row = output_row(node, i);
  const DType declared = node.output(i).dtype;
  DType wanted = declared;
  if (row.rule == DTypeRule::same_as) wanted = node.dtype(size_t(row.same_as));
  if (row.rule == DTypeRule::promoted) wanted = promoted(node);
  if (row.sums && declared == DType::i32 && node.is_quantized()) return check_sums(node);
  if (declared != wanted) {
    return invalid("Dtype of output ", i, " (", name(declared), ") is not ", name(wanted), ".");
  }
  if (row.dtypes.contains(declared)) return {};
  return invalid("Dtype of output ", i, " (", name(declared), ") is not one of ", to_string(row.dtypes), ".");
}

// R16: NONE, ND and NHWC mix freely; for INSTANCE_NORM it is NONE, ND and NCHW.
Status check_layout(const NodeView& node) {
  if (!node.schema().layout_dependent || node.node().format) return {};
  const Format apart = node.op() == Op::instance_norm ? Format::nhwc : Format::nchw;
  for (size_t i = 0; i < node.output_count(); ++i) {
    if ((node.input(0).format == apart) != (node.output(i).format == apart)) {
      return invalid("Format of output ", i, " (", name(node.output(i).format),
                     ") does not match the input's (", name(node.input(0).format), ").");
    }
  }
  return {};
}

bool fits_in_memory(Shape shape, DType dtype) {
  std::replace(shape.begin(), shape.end(), kUnknown, int64_t{1});
  const std::optional<int64_t> count = element_count(shape);
  int64_t bytes = 0;
  return count && !__builtin_mul_overflow(*count, int64_t(size_of(dtype)), &bytes);
}

// Merges declared and inferred dimensions, in the declared rank (R6, R7).
Result<Shape> settle(const Tensor& output, const Shape& inferred, size_t i) {
  for (const int64_t dim : inferred) {
    if (dim < kUnknown) {
      return invalid("Shape of output ", i, " ", to_string(inferred), " has a dimension (", dim,
                     ") below 0.");
    }
    // Clients see dimensions as int32_t.
    if (dim > std::numeric_limits<int32_t>::max()) {
      return invalid("Shape of output ", i, " ", to_string(inferred), " has a dimension (", dim, ") above ",
                     std::numeric_limits<int32_t>::max(), ".");
    }
  }
  if (inferred.size() > kMaxTensorRank) {
    return unsupported("Rank of output ", i, " (", inferred.size(), ") is above ", kMaxTensorRank, ".");
  }
  const std::optional<Shape> shape = unify(output.shape, inferred);
  if (!shape) {
    return invalid("Declared shape of output ", i, " ", to_string(output.shape), " is not the inferred one ",
                   to_string(inferred), ".");
  }
  if (fits_in_memory(*shape, output.dtype)) return *shape;
  return invalid("Shape of output ", i, " ", to_string(*shape), " has too many bytes.");
}

}  // namespace

Result<std::vector<Shape>> infer_node(const NodeView& node) {
  const OpSchema& schema = node.schema();
  NNRT_TRY(check_required(node));
  for (size_t i = 0; i < node.input_count(); ++i) NNRT_TRY(check_input(node, i));
  NNRT_TRY(check_quantization(node));
  for (size_t i = 0; i < node.output_count(); ++i) NNRT_TRY(check_output_dtype(node, i));
  if (schema.check != nullptr) NNRT_TRY(schema.check(node));
  NNRT_TRY(check_layout(node));
  NNRT_ASSIGN(Shapes shapes, schema.infer(node));
  for (size_t i = 0; i < shapes.size(); ++i) {
    NNRT_ASSIGN(shapes[i], settle(node.output(i), shapes[i], i));
  }
  return shapes;
}

}  // namespace nnrt
