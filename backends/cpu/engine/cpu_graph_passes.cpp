#include "backends/cpu/engine/cpu_graph_passes.h"

#include "backends/cpu/engine/post_ops.h"
#include "backends/cpu/engine/widened_halves.h"
#include "core/passes/graph_passes.h"
#include "core/passes/inferred_ranks.h"
#include "core/passes/simplify.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

struct Context {
  const KernelSwitch& of_cpu;

  const KernelSwitch& kernels() const { return of_cpu; }
};

WhyNot why_not_fusing(const Graph&, const Context&) {
  return fusing_is_on() ? WhyNot() : "NNRT_TEST_FUSE=off disables fusion.";
}

std::vector<RewriteObjection> objections(const Graph& graph) {
  if (std::ranges::find(graph.nodes, Op::conv3d, &Node::op) == graph.nodes.end()) return {};
  return {{"unroll_narrow_conv3d",
           WhyNot::slower("CONV3D has a faster kernel for planes of up to 8 output channels.")}};
}

constexpr GraphPass<Context> kPasses[] = {
    {.name = "inferred_ranks",
     .run = [](const GraphPtr& graph, const Context&) { return shared(with_inferred_ranks(*graph)); },
     .is_needed = true},
    {.name = "simplify",
     .why_not = why_not_fusing,
     .run =
         [](const GraphPtr& graph, const Context& context) {
           return shared(simplify(*graph, context.kernels(), objections(*graph)));
         }},
    {.name = "fuse",
     .why_not = why_not_fusing,
     .run = [](const GraphPtr& graph, const Context&) { return shared(fuse(*graph, fuse_rules())); }},
    {.name = "widened_halves",
     .run = [](const GraphPtr& graph, const Context&) { return with_widened_halves(graph); },
     .rights = {.widened = true},
     .is_needed = true},
};
}  // namespace

Result<GraphPtr> run_graph_passes(const GraphPtr& graph, const KernelSwitch& kernels) {
  return run_passes(kPasses, graph, Context{kernels});
}

std::vector<PassChoice> graph_pass_choices(const Graph& graph, const KernelSwitch& kernels) {
  std::vector<PassChoice> choices = pass_choices(kPasses, graph, Context{kernels});
  for (PassChoice& rewrite : rewrite_choices(kernels, objections(graph)))
    choices.push_back(std::move(rewrite));
  return choices;
}

std::vector<std::string_view> graph_pass_names() {
  std::vector<std::string_view> names = pass_names(std::span<const GraphPass<Context>>(kPasses));
  for (const std::string_view rewrite : rewrite_names()) names.push_back(rewrite);
  return names;
}

}  // namespace nnrt::cpu
