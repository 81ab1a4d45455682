#include "backends/vulkan/lower/gemm/lower_epilogue.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "core/schema/geometry.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <bit>
#include <span>

namespace nnrt::vulkan {
namespace {

// Columns of a table of factors.
uint32_t table_stride(const NodeView& node) {
  constexpr uint32_t kVector = 4;
  return round_up(uint32_t(node.output_shape().back()), kVector);
}

// Collects the steps in order. Each call returns whether the step fits behind the previous ones.
class Steps {
 public:
  explicit Steps(const NodeView& node) : node_(node) {}

  bool unary(Op op, const Attrs& attrs) {
    if (op == Op::quant_dtype_cast) return requantize();
    if (limited_ != Op{}) return false;
    if (const std::optional<Limits> limits = limits_of(op, attrs)) {
      epilogue.limits = *limits;
      limited_ = op;
      limiting_ = attrs;
      return true;
    }
    if (epilogue.post_op != 0 || epilogue.added) return false;
    operate(op, attrs);
    return true;
  }

  bool binary(const PostOp& step) {
    if (arithmetic_of(step.op, step.attrs) != Op::add || epilogue.added) return false;
    if (is_first() && is_bias(*step.other)) {
      epilogue.bias = step.other;
      return true;
    }
    if (!has_result_shape(*step.other)) return false;
    // A limit before the addition becomes the post-op, if that is still free.
    if (limited_ != Op{} && epilogue.post_op != 0) return false;
    if (limited_ != Op{}) operate(limited_, limiting_);
    limited_ = Op{};
    epilogue.limits = {};
    epilogue.added = step.other;
    return true;
  }

  Epilogue epilogue;

 private:
  // Must be the last step. The limits become steps too.
  bool requantize() {
    if (epilogue.post_op != 0 || epilogue.added || !computes_on_steps(node_)) return false;
    const Quant& quant = node_.output(0).quant;
    epilogue.requantizes = true;
    epilogue.post_op = requantization_number(quant);
    epilogue.parameters = {std::bit_cast<uint32_t>(float(table_stride(node_))), 0};
    const auto [low, high] = step_limits(quant, epilogue.limits.low, epilogue.limits.high);
    epilogue.limits = {low, high};
    return true;
  }

  void operate(Op op, const Attrs& attrs) {
    epilogue.post_op = unary_number(op, attrs);
    epilogue.parameters = unary_parameters(op, attrs, DType::f32);
  }

  bool is_first() const { return limited_ == Op{} && epilogue.post_op == 0 && !epilogue.bias; }

  // A bias as exporters write it for MATMUL. Other GEMMs and convolutions have a bias input.
  bool is_bias(uint32_t input) const {
    const Shape& shape = node_.shape(input);
    const bool is_row = !shape.empty() && shape.back() == with_dimension(node_.output_shape()).back() &&
                        element_count(shape) == shape.back();
    return node_.op() == Op::matmul && is_row && node_.input(input).is_constant();
  }

  bool has_result_shape(uint32_t input) const {
    return node_.shape(input) == node_.output_shape() && kFloat.contains(node_.dtype(input));
  }

  static std::optional<Limits> limits_of(Op op, const Attrs& attrs) {
    if (op == Op::relu) return Limits{.low = 0};
    if (op == Op::relu6) return Limits{0, 6};
    if (op != Op::clip) return {};
    const auto parameters = std::bit_cast<std::array<float, 2>>(unary_parameters(op, attrs, DType::f32));
    if (!(parameters[0] <= parameters[1])) return {};
    return Limits{parameters[0], parameters[1]};
  }

  const NodeView& node_;
  Op limited_{};  // the last step, if it became the limits
  Attrs limiting_;
};

}  // namespace

Result<Epilogue> epilogue_of(const NodeView& node) {
  Steps steps(node);
  bool fits = true;
  if (const uint32_t activation = activation_of(node); activation != 0) {
    fits = steps.unary(activation == 1 ? Op::relu : Op::relu6, {});
  }
  for (const PostOp& step : node.node().post_ops) {
    fits = fits && (step.other ? steps.binary(step) : steps.unary(step.op, step.attrs));
  }
  if (!fits) return unsupported("The kernel of ", name(node.op()), " does not support its post-ops.");
  return steps.epilogue;
}

EpiloguePush push_of(const Epilogue& epilogue) { return {epilogue.parameters, epilogue.limits}; }

View output_rows(const LoweringContext& context, const Epilogue& epilogue, uint32_t columns) {
  const View rows = context.output_view(0, epilogue.added ? View::none : context.takes & View::slice);
  return rows.buffer == context.output() ? View::rows(rows.buffer, columns) : rows;
}

Buffer epilogue_operand(const LoweringContext& context, const Epilogue& epilogue, Buffer any) {
  if (epilogue.requantizes) {
    const NodeView& node = context.node;
    const std::vector<uint32_t> table = requantization_table(node, table_stride(node));
    return context.sink.packed(node.node().outputs[0], "factors of sums",
                               [table] { return bytes_of(table); });
  }
  return epilogue.added ? context.input(*epilogue.added) : any;
}

}  // namespace nnrt::vulkan
