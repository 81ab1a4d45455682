#include "backends/vulkan/program/vulkan_graph_passes.h"

#include "backends/vulkan/passes/deferred_copies.h"
#include "backends/vulkan/passes/dequantize_pass.h"
#include "backends/vulkan/passes/fp16_pass.h"
#include "backends/vulkan/passes/operand_views.h"
#include "backends/vulkan/passes/split_attention.h"
#include "backends/vulkan/program/concurrent_steps.h"
#include "backends/vulkan/program/node_support.h"
#include "core/passes/fuse.h"
#include "core/passes/inferred_ranks.h"
#include "core/passes/simplify.h"

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
  if (!context.float16) return "The client does not allow float16.";
  return context.plan.fp16_intermediates ? WhyNot()
                                         : WhyNot::slower("Software drivers convert float16 slowly.");
}

WhyNot why_not_dequantize(const Graph& graph, const PassContext& context) {
  if (const WhyNot why = why_not_rewrite(graph, context)) return why;
  return why_not_dequantized(graph, context.plan);
}

WhyNot why_not_concurrent(const Graph&, const PassContext& context) {
  return why_not_concurrent_steps(context.plan);
}

std::vector<RewriteObjection> objections(const PassContext& context) {
  std::vector<RewriteObjection> found{{"pool_planes", WhyNot::slower("Kernels take several channels.")}};
  // Don't fuse attention that split_attention would split again.
  const bool is_fp16 = context.float16 && context.plan.fp16_intermediates;
  if (prefers_split_attention(context.plan, is_fp16 ? DType::f16 : DType::f32))
    found.push_back({"find_attention", WhyNot::slower("Skipped: `split_attention` would undo it.")});
  return found;
}

constexpr VulkanPass kModelPasses[] = {
    {.name = "inferred_ranks",
     .run = [](const GraphPtr& graph, const PassContext&) { return shared(with_inferred_ranks(*graph)); },
     .is_needed = true},
    {.name = "simplify",
     .why_not = why_not_rewrite,
     .run =
         [](const GraphPtr& graph, const PassContext& context) {
           return shared(simplify(*graph, context.kernels(), objections(context)));
         }},
    {.name = "fp16_pass",
     .why_not = why_not_fp16,
     .run = [](const GraphPtr& graph,
               const PassContext& context) { return shared(with_fp16(*graph, context.plan)); },
     .rights = {.fp16 = true}},
};

constexpr VulkanPass kProgramPasses[] = {
    {.name = "split_attention",
     .why_not = why_not_split,
     .run = [](const GraphPtr& graph,
               const PassContext& context) { return shared(with_split_attention(*graph, context.plan)); }},
    {.name = "fuse",
     .why_not = why_not_rewrite,
     .run =
         [](const GraphPtr& graph, const PassContext& context) {
           return shared(fuse(*graph, fuse_rules(*graph, context.plan)));
         }},
    {.name = "dequantize_pass",
     .why_not = why_not_dequantize,
     .run = [](const GraphPtr& graph, const PassContext&) { return shared(with_dequantized(*graph)); },
     .rights = {.dequantized = true}},
};

constexpr VulkanPass kLoweringPasses[] = {{.name = kConcatElision},
                                          {.name = kCastElision},
                                          {.name = kTransposeElision},
                                          {.name = kDeferredCopies},
                                          {.name = kConcurrentSteps, .why_not = why_not_concurrent}};

}  // namespace

std::span<const VulkanPass> model_passes() { return kModelPasses; }

std::span<const VulkanPass> program_passes() { return kProgramPasses; }

std::span<const VulkanPass> lowering_passes() { return kLoweringPasses; }

std::vector<PassChoice> rewrites_of(const PassContext& context) {
  return rewrite_choices(context.kernels(), objections(context));
}

std::vector<PassChoice> passes_before_runs(const PassContext& context) {
  std::vector<PassChoice> choices;
  for (const VulkanPass& pass : kProgramPasses) {
    const WhyNot why =
        why_skipped(pass.name, "It depends on shapes that are only known at run time.", context.kernels());
    choices.push_back({std::string(pass.name), why.text()});
  }
  return choices;
}

}  // namespace nnrt::vulkan
