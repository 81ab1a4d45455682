#include "backends/cpu/engine/cpu_kernel_choices.h"

#include "backends/cpu/engine/cpu_graph_passes.h"
#include "backends/cpu/engine/steps/step_passes.h"
#include "core/base/text.h"
#include "core/passes/added_movement.h"
#include "core/passes/constant_passes.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <string>

namespace nnrt::cpu {
namespace {

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names = implementation_names();
  const std::vector<std::string_view> passes = graph_pass_names();
  const std::vector<std::string_view> before = constant_pass_names();
  names.insert(names.end(), passes.begin(), passes.end());
  names.insert(names.end(), before.begin(), before.end());
  const std::vector<std::string_view> steps = step_pass_names();
  names.insert(names.end(), steps.begin(), steps.end());
  return names;
}

// A node without a list has a single implementation.
KernelChoice only_choice(const Program::Step& step) {
  return {std::string(std::visit([](const auto& method) { return method.kName; }, step.method)), {}};
}

KernelChoice choice_of(const Program& program, NodeId id, ThreadPool& pool) {
  const Program::Step& step = program.steps[id];
  const ChooseKernel choose = chooser(program.graph->nodes[id].op);
  if (choose == nullptr || step.is<Program::RowTiles>()) return only_choice(step);
  KernelLog log;
  if (is_known_before_runs(program, id)) {
    const ArgsBeforeRun before(program, id, pool);
    static_cast<void>(choose(before.args(), &log));
  }
  return log.empty() ? KernelChoice{kChosenInEachRun, {}} : std::move(log[0]);
}

}  // namespace

KernelSwitch kernel_switch() {
  const char* const text = setting_text(Setting::cpu_kernels);
  return text == nullptr ? KernelSwitch() : parse_kernel_switch(kKernelsVariable, text, known_names());
}

bool is_known_before_runs(const Program& program, NodeId id) {
  const Graph& graph = *program.graph;
  return !program.steps[id].infer && std::ranges::none_of(graph.nodes[id].inputs, [&](TensorId tensor) {
    return element_count(graph.shapes[tensor]) == 0;
  });
}

ArgsBeforeRun::ArgsBeforeRun(const Program& program, NodeId id, ThreadPool& pool,
                             const std::vector<Shape>& shapes)
    : view_(*program.graph, program.graph->nodes[id], shapes, program.constants),
      args_{view_,
            {},
            {},
            pool,
            program.steps[id].prepacked.get(),
            nullptr,
            true,
            &program.kernels,
            program.steps[id].chosen,
            program.may_round} {
  for (const TensorId input : view_.node().inputs) in_.push_back(program.constants[input]);
  args_.in = in_;
}

bool ArgsBeforeRun::choose(std::string_view implementation) const {
  KernelLog log;
  return chooser(args_.node.op())(args_, &log).ok() && log[0].name == implementation;
}

std::optional<Int8Kernel> ArgsBeforeRun::int8_kernel() const {
  if (choose(kDotGemm)) return Int8Kernel::dot;
  return choose(kAmxGemm) ? std::optional(Int8Kernel::amx) : std::nullopt;
}

Status choose_kernels(Program& program, ThreadPool& pool) {
  for (NodeId id = 0; id < program.steps.size(); ++id) {
    const Node& node = program.graph->nodes[id];
    const ChooseKernel choose = chooser(node.op);
    if (choose == nullptr || !is_known_before_runs(program, id)) continue;
    auto chosen = choose(ArgsBeforeRun(program, id, pool).args(), nullptr);
    if (!chosen.ok()) return std::move(chosen).error().during(cat("preparing operation ", node.position));
    program.steps[id].chosen = chosen.value();
  }
  return {};
}

KernelReport kernel_report(const Program& program, const ThreadPool& pool) {
  ThreadPool threads = pool;
  const Graph& graph = *program.graph;
  const AddedMovement added(graph);
  KernelReport report;
  for (NodeId id = 0; id < program.steps.size(); ++id) {
    const Node& node = graph.nodes[id];
    report.operations.push_back({node.position, {}, node.fused_positions});
    OperationKernels& own = report.operations.back();
    if (program.steps[id].is<Program::Folded>() || added.has(node)) continue;
    own.kernels.push_back(choice_of(program, id, threads));
    for (const NodeId included : program.included_nodes(id)) {
      const Node& other = graph.nodes[included];
      own.fused.push_back(other.position);
      own.fused.insert(own.fused.end(), other.fused_positions.begin(), other.fused_positions.end());
    }
  }
  report.passes = graph_pass_choices(*program.graph, program.kernels);
  for (PassChoice& pass : step_pass_choices(program.kernels)) report.passes.push_back(std::move(pass));
  return report;
}

}  // namespace nnrt::cpu
