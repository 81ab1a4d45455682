#include "core/passes/graph_passes.h"

#include "tests/support/graph_maker.h"

namespace nnrt {
namespace {

struct Context {
  const KernelSwitch& names;
  std::vector<std::string>& ran;

  const KernelSwitch& kernels() const { return names; }
};

GraphPtr noted(const GraphPtr& graph, const Context& context, const char* name) {
  context.ran.emplace_back(name);
  return graph;
}

// The first cannot be forbidden, the second cannot run, the third is not worthwhile, the fourth has no
// objection.
constexpr GraphPass<Context> kPasses[] = {
    {.name = "needed",
     .run = [](const GraphPtr& graph, const Context& context) { return noted(graph, context, "needed"); },
     .is_needed = true},
    {.name = "impossible",
     .why_not = [](const Graph&, const Context&) -> WhyNot { return "It is switched off."; },
     .run = [](const GraphPtr& graph,
               const Context& context) { return noted(graph, context, "impossible"); }},
    {.name = "slower",
     .why_not = [](const Graph&, const Context&) { return WhyNot::slower("It does not pay."); },
     .run = [](const GraphPtr& graph, const Context& context) { return noted(graph, context, "slower"); }},
    {.name = "usual",
     .run = [](const GraphPtr& graph, const Context& context) { return noted(graph, context, "usual"); }},
};
using Names = std::vector<std::string>;

GraphPtr some_graph() {
  test::GraphMaker make;
  return make.finish({make.op(Op::relu, {make.input({3})}, {3})});
}

Names ran(const KernelSwitch& kernels) {
  const GraphPtr graph = some_graph();
  Names names;
  EXPECT_EQ(run_passes(kPasses, graph, Context{kernels, names}).value(), graph);
  return names;
}

KernelSwitch parsed(std::string_view text) {
  constexpr std::string_view kNames[] = {"needed", "impossible", "slower", "usual"};
  return parse_kernel_switch("NNRT_TEST_KERNELS", text, kNames);
}

TEST(GraphPasses, RunInOrderUnlessSkipped) { EXPECT_EQ(ran({}), (Names{"needed", "usual"})); }

TEST(GraphPasses, RunIfForced) {
  EXPECT_EQ(ran(parsed("+slower,+impossible")), (Names{"needed", "slower", "usual"}));
}

TEST(GraphPasses, ForbiddenDoNotRunUnlessTheyAreNeeded) {
  EXPECT_EQ(ran(parsed("-usual,-needed")), Names{"needed"});
  EXPECT_EQ(pass_names(std::span<const GraphPass<Context>>(kPasses)),
            (std::vector<std::string_view>{"impossible", "slower", "usual"}));
}

TEST(GraphPasses, ExplainSkips) {
  Names names;
  const KernelSwitch kernels = parsed("-usual");
  const std::vector<PassChoice> choices = pass_choices(kPasses, *some_graph(), Context{kernels, names});
  ASSERT_EQ(choices.size(), 4u);
  EXPECT_EQ(choices[0].name, "needed");
  EXPECT_EQ(choices[0].why_not, "");
  EXPECT_EQ(choices[1].why_not, "It is switched off.");
  EXPECT_EQ(choices[2].why_not, "It does not pay.");
  EXPECT_EQ(choices[3].why_not, "It is forbidden by name.");
  EXPECT_TRUE(names.empty()) << "Nothing runs to tell it.";
}

}  // namespace
}  // namespace nnrt
