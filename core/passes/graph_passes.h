// An ordered list of graph rewrites, run by the core and by each device before kernels are chosen.
#pragma once

#include "core/graph/graph.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/kernel_choice.h"

#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nnrt {

// `Context` is the input of a list's passes; its kernels() is the switch.
template <typename Context>
struct GraphPass {
  std::string_view name;
  WhyNot (*why_not)(const Graph&, const Context&) = nullptr;  // null: always runs
  // Null if it is not a graph rewrite: the lowering does it, unless the switch forbids it.
  GraphPtr (*run)(const GraphPtr&, const Context&) = nullptr;
  RewriteRights rights = {};
  bool is_needed = false;  // kernels rely on it, so it cannot be forbidden
};

// Wraps the graph returned by a pass.
inline GraphPtr shared(Graph graph) { return std::make_shared<const Graph>(std::move(graph)); }

// Applies the switch: it can forbid a pass by name, or force one that would only be slower.
inline WhyNot why_skipped(std::string_view name, WhyNot why, const KernelSwitch& kernels) {
  if (kernels.forbids(name)) return "It is forbidden by name.";
  return why.is_preference() && kernels.forces(name) ? WhyNot() : why;
}

template <typename Context>
WhyNot why_skipped(const GraphPass<Context>& pass, const Graph& graph, const Context& context) {
  const WhyNot why = why_not(pass, graph, context);
  return pass.is_needed ? why : why_skipped(pass.name, why, context.kernels());
}

// Runs the passes; returns the same graph if nothing changes. Rewrites are checked if NNRT_TEST_CHECK_GRAPHS
// is on. Each pass is added to `log` unless it is null.
template <typename Context>
Result<GraphPtr> run_passes(std::type_identity_t<std::span<const GraphPass<Context>>> passes, GraphPtr graph,
                            const Context& context, std::vector<PassChoice>* log = nullptr) {
  for (const GraphPass<Context>& pass : passes) {
    const WhyNot why = why_skipped(pass, *graph, context);
    if (log != nullptr) log->push_back({std::string(pass.name), why.text()});
    if (why || pass.run == nullptr) continue;
    GraphPtr rewritten = pass.run(graph, context);
    NNRT_TRY(check_rewrite(pass.name, *graph, *rewritten, pass.rights));
    graph = std::move(rewritten);
  }
  return graph;
}

// Lists the passes, with the reason for those that would not run on this graph.
template <typename Context>
std::vector<PassChoice> pass_choices(std::type_identity_t<std::span<const GraphPass<Context>>> passes,
                                     const Graph& graph, const Context& context) {
  std::vector<PassChoice> choices;
  for (const GraphPass<Context>& pass : passes)
    choices.push_back({std::string(pass.name), why_skipped(pass, graph, context).text()});
  return choices;
}

// The names of passes that can be forbidden.
template <typename Context>
std::vector<std::string_view> pass_names(std::span<const GraphPass<Context>> passes) {
  std::vector<std::string_view> names;
  for (const GraphPass<Context>& pass : passes) {
    if (!pass.is_needed) names.push_back(pass.name);
  }
  return names;
}

}  // namespace nnrt
