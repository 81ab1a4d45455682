#include "backends/vulkan/lower/int8/int8_kernels.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/int8/int8_operands.h"
#include "backends/vulkan/lower/int8/lower_int8_dot.h"
#include "backends/vulkan/lower/int8/lower_int8_matrix.h"

namespace nnrt::vulkan {
namespace {

struct QuantizedWork {
  const NodeView& node;
  LowerFunction lower;  // the float fallback
};

using QuantizedKernel = Kernel<QuantizedWork>;

template <MatrixSource source>
constexpr QuantizedKernel int8_matrix_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const QuantizedWork& work) {
            return why_not_int8_matrix(work.node, context.plan, source);
          },
          [](const LoweringContext& context, const QuantizedWork&) { return lower_int8_matrix(context); }};
}

template <WhyNot (*why_not)(const NodeView&, const DevicePlan&), Int8Dot variant>
constexpr QuantizedKernel int8_dot_kernel(std::string_view name) {
  return {
      name,
      [](const LoweringContext& context, const QuantizedWork& work) {
        return why_not(work.node, context.plan);
      },
      [](const LoweringContext& context, const QuantizedWork&) { return lower_int8_dot(context, variant); }};
}

constexpr QuantizedKernel kQuantized[] = {
    {"int8_gemv_by_subgroups",
     [](const LoweringContext& context, const QuantizedWork& work) {
       return why_not_int8_gemv(work.node, context.plan);
     },
     [](const LoweringContext& context, const QuantizedWork&) { return lower_int8_gemv(context); }},
    int8_matrix_kernel<MatrixSource::native>("int8_matrix"),
    int8_matrix_kernel<MatrixSource::emulated>("int8_matrix_emulated"),
    {"int8_dot_registers",
     [](const LoweringContext& context, const QuantizedWork& work) {
       return why_not_int8_dot_registers(work.node, context.plan);
     },
     [](const LoweringContext& context, const QuantizedWork&) { return lower_int8_dot_registers(context); }},
    int8_dot_kernel<why_not_int8_dot_small, Int8Dot::few_registers>("int8_dot_small"),
    int8_dot_kernel<why_not_int8_dot, Int8Dot::usual>("int8_dot"),
    int8_dot_kernel<why_not_int8_sums, Int8Dot::plain>("int8_sums"),
    {"dequantize",
     [](const LoweringContext&, const QuantizedWork& work) {
       return has_sums(work.node) ? WhyNot("Floats cannot represent INT32 sums exactly.") : WhyNot();
     },
     [](const LoweringContext& context, const QuantizedWork& work) {
       return lower_as_f32(context, work.lower);
     }},
};
constexpr std::span<const QuantizedKernel> kAll = kQuantized;

}  // namespace

Status lower_quantized(const LoweringContext& context, LowerFunction lower) {
  return lower_by_list(kAll, context, QuantizedWork{context.node, lower});
}

Refusal refuse_product(const NodeView& node, const DevicePlan& plan) {
  if (!has_sums(node)) return refuse_conversion(node);
  if (!is_static(node.shape(0)) || !is_static(node.shape(1))) return "Shapes are only known at run time.";
  const WhyNot why = why_not_int8_sums(node, plan);
  return why ? Refusal(why.text()) : std::nullopt;
}

std::vector<std::string_view> int8_kernels() { return names_of(kAll); }

}  // namespace nnrt::vulkan
