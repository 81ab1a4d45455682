// The rewrites of a graph that a device runs before it chooses kernels: an ordered list, read from the top.
#pragma once

#include "core/passes/check_rewrite.h"
#include "core/passes/kernel_choice.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace nnrt {

// `Context` is what the passes of a device have to know, among it `kernels`, the switch.
template <typename Context>
struct GraphPass {
  std::string_view name;
  WhyNot (*why_not)(const Context&) = nullptr;  // null: it always runs
  Graph (*run)(const Graph&, const Context&) = nullptr;
  RewriteRights rights = {};
  bool is_needed = false;  // kernels rely on it, so that it cannot be forbidden
};

// The reason why the pass does not run.
template <typename Context>
WhyNot why_skipped(const GraphPass<Context>& pass, const Context& context) {
  if (!pass.is_needed && context.kernels.forbids(pass.name)) return "It is forbidden by name.";
  const WhyNot why = why_not(pass, context);
  const bool is_forced = why.is_preference() && context.kernels.forces(pass.name);
  return is_forced ? WhyNot() : why;
}

template <typename Context>
Result<Graph> run_passes(const Graph& graph, std::span<const GraphPass<Context>> passes,
                         const Context& context) {
  std::optional<Graph> rewritten;
  for (const GraphPass<Context>& pass : passes) {
    if (why_skipped(pass, context)) continue;
    const Graph& before = rewritten ? *rewritten : graph;
    Graph after = pass.run(before, context);
    NNRT_TRY(check_rewrite(pass.name, before, after, pass.rights));
    rewritten = std::move(after);
  }
  return rewritten ? *std::move(rewritten) : graph;
}

// Each pass, with the reason of one that does not run.
template <typename Context>
std::vector<PassChoice> pass_choices(std::span<const GraphPass<Context>> passes, const Context& context) {
  std::vector<PassChoice> choices;
  for (const GraphPass<Context>& pass : passes)
    choices.push_back({std::string(pass.name), why_skipped(pass, context).text()});
  return choices;
}

// Names the passes that can be forbidden.
template <typename Context>
std::vector<std::string_view> pass_names(std::span<const GraphPass<Context>> passes) {
  std::vector<std::string_view> names;
  for (const GraphPass<Context>& pass : passes) {
    if (!pass.is_needed) names.push_back(pass.name);
  }
  return names;
}

}  // namespace nnrt
