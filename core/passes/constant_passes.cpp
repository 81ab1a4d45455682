#include "core/passes/constant_passes.h"

#include "core/passes/gather_quantized.h"
#include "core/passes/graph_passes.h"

namespace nnrt {
namespace {

WhyNot why_not_here(const Graph&, const ConstantContext& context) {
  if (context.is_for_plugin) return "Plugins get the client's original operations.";
  return context.evaluate == nullptr ? "There is no CPU device to compute constants." : WhyNot();
}

// Must run first: fold_constants would dequantize what gather_quantized keeps quantized.
constexpr GraphPass<ConstantContext> kPasses[] = {
    {.name = "gather_quantized",
     .why_not = why_not_here,
     .run = [](const GraphPtr& graph, const ConstantContext&) { return gather_quantized(graph); }},
    {.name = "fold_constants",
     .why_not = why_not_here,
     .run = [](const GraphPtr& graph,
               const ConstantContext& context) { return fold_constants(graph, *context.evaluate); }},
};

}  // namespace

Result<GraphPtr> run_constant_passes(const GraphPtr& graph, const ConstantContext& context,
                                     std::vector<PassChoice>& log) {
  return run_passes(kPasses, graph, context, &log);
}

std::vector<std::string_view> constant_pass_names() {
  return pass_names(std::span<const GraphPass<ConstantContext>>(kPasses));
}

}  // namespace nnrt
