#include "backends/vulkan/program/vulkan_graph_passes.h"

#include "backends/vulkan/passes/dequantize_pass.h"
#include "backends/vulkan/passes/fp16_pass.h"
#include "backends/vulkan/passes/split_attention.h"
#include "backends/vulkan/program/node_support.h"
#include "core/passes/fuse.h"
#include "core/passes/simplify.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

WhyNot why_not_rewrite(const Graph&, const PassContext&) {
  return fusing_is_on() ? WhyNot() : "NNRT_TEST_FUSE is off.";
}

WhyNot why_not_split(const Graph& graph, const PassContext& context) {
  if (const WhyNot why = why_not_rewrite(graph, context)) return why;
  return why_not_split_attention(graph, context.plan);
}

WhyNot why_not_fp16(const Graph&, const PassContext& context) {
  if (!context.float16) return "The client does not permit float16.";
  return context.plan.fp16_intermediates ? WhyNot()
                                         : WhyNot::slower("Software drivers convert float16 one by one.");
}

WhyNot why_not_dequantize(const Graph& graph, const PassContext& context) {
  if (const WhyNot why = why_not_rewrite(graph, context)) return why;
  return why_not_dequantized(graph, context.plan);
}

// Attention that would be split again, into what it was found as at best, is not looked for.
std::span<const std::string_view> unwanted(const PassContext& context) {
  static constexpr std::string_view kUnwanted[] = {"find_attention"};
  const bool is_fp16 = context.float16 && context.plan.fp16_intermediates;
  if (prefers_split_attention(context.plan, is_fp16 ? DType::f16 : DType::f32)) return kUnwanted;
  return {};
}

constexpr GraphPass kModelPasses[] = {
    {"simplify", why_not_rewrite,
     [](const Graph& graph, const PassContext& context) {
       return simplify(graph, context.plan.kernels, unwanted(context));
     }},
    {"fp16_pass",
     why_not_fp16,
     [](const Graph& graph, const PassContext& context) { return with_fp16(graph, context.plan); },
     {.fp16 = true}},
};

constexpr GraphPass kProgramPasses[] = {
    {"split_attention", why_not_split,
     [](const Graph& graph, const PassContext& context) {
       return with_split_attention(graph, context.plan);
     }},
    {"fuse", why_not_rewrite,
     [](const Graph& graph, const PassContext& context) {
       return fuse(graph, fuse_rules(graph, context.plan));
     }},
    {"dequantize_pass",
     why_not_dequantize,
     [](const Graph& graph, const PassContext&) { return with_dequantized(graph); },
     {.dequantized = true}},
};

// No reason where the pass runs.
WhyNot why_skipped(const GraphPass& pass, const Graph& graph, const PassContext& context) {
  const KernelSwitch& kernels = context.plan.kernels;
  if (kernels.forbids(pass.name)) return "It is forbidden by name.";
  const WhyNot why = pass.why_not(graph, context);
  return why.is_preference() && kernels.forces(pass.name) ? WhyNot() : why;
}

}  // namespace

std::span<const GraphPass> model_passes() { return kModelPasses; }

std::span<const GraphPass> program_passes() { return kProgramPasses; }

Result<Graph> run_passes(std::span<const GraphPass> passes, Graph graph, const PassContext& context,
                         std::vector<PassChoice>* log) {
  for (const GraphPass& pass : passes) {
    const WhyNot why = why_skipped(pass, graph, context);
    if (log != nullptr) log->push_back({std::string(pass.name), why.text()});
    if (why) continue;
    Graph rewritten = pass.run(graph, context);
    NNRT_TRY(check_rewrite(pass.name, graph, rewritten, pass.rights));
    graph = std::move(rewritten);
  }
  return graph;
}

}  // namespace nnrt::vulkan
