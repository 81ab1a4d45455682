#include "backends/cpu/engine/cpu_graph_passes.h"

#include "backends/cpu/engine/post_ops.h"
#include "core/passes/graph_passes.h"
#include "core/passes/inferred_ranks.h"
#include "core/passes/simplify.h"

namespace nnrt::cpu {
namespace {

struct Context {
  const KernelSwitch& kernels;
};

WhyNot why_not_fusing(const Context&) {
  return fusing_is_on() ? WhyNot() : "NNRT_TEST_FUSE=off keeps every operation by itself.";
}

constexpr GraphPass<Context> kPasses[] = {
    {.name = "inferred_ranks",
     .run = [](const Graph& graph, const Context&) { return with_inferred_ranks(graph); },
     .is_needed = true},
    {.name = "simplify",
     .why_not = why_not_fusing,
     .run = [](const Graph& graph, const Context& context) { return simplify(graph, context.kernels); }},
    {.name = "fuse",
     .why_not = why_not_fusing,
     .run = [](const Graph& graph, const Context&) { return fuse(graph, fuse_rules()); }},
};
constexpr std::span<const GraphPass<Context>> kAll = kPasses;

}  // namespace

Result<Graph> run_graph_passes(const Graph& graph, const KernelSwitch& kernels) {
  return run_passes(graph, kAll, Context{kernels});
}

std::vector<PassChoice> graph_pass_choices(const KernelSwitch& kernels) {
  std::vector<PassChoice> choices = pass_choices(kAll, Context{kernels});
  for (PassChoice& rewrite : rewrite_choices(kernels)) choices.push_back(std::move(rewrite));
  return choices;
}

std::vector<std::string_view> graph_pass_names() {
  std::vector<std::string_view> names = pass_names(kAll);
  for (const std::string_view rewrite : rewrite_names()) names.push_back(rewrite);
  return names;
}

}  // namespace nnrt::cpu
