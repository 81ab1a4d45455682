#include "backends/cpu/engine/steps/step_passes.h"

#include "core/passes/fuse.h"
#include "core/passes/graph_passes.h"

namespace nnrt::cpu {
namespace {

struct StepPass {
  std::string_view name;
  void (*run)(Program&, ThreadPool&);
};

constexpr StepPass kPasses[] = {
    {Program::Table::kName, find_byte_functions},    {Program::RowTiles::kName, find_row_tiles},
    {Program::Residual::kName, find_residual_steps}, {Program::ScaledProduct::kName, find_scaled_products},
    {"kv_cache_append", find_cache_appends},
};

WhyNot why_not(const StepPass& pass, const KernelSwitch& kernels) {
  return why_skipped(pass.name, fusing_is_on() ? WhyNot() : "NNRT_TEST_FUSE=off disables fusion.", kernels);
}

}  // namespace

void run_step_passes(Program& program, ThreadPool& pool) {
  for (const StepPass& pass : kPasses)
    if (!why_not(pass, program.kernels)) pass.run(program, pool);
}

std::vector<std::string_view> step_pass_names() {
  std::vector<std::string_view> names;
  for (const StepPass& pass : kPasses) names.push_back(pass.name);
  return names;
}

std::vector<PassChoice> step_pass_choices(const KernelSwitch& kernels) {
  std::vector<PassChoice> choices;
  for (const StepPass& pass : kPasses)
    choices.push_back({std::string(pass.name), why_not(pass, kernels).text()});
  return choices;
}

}  // namespace nnrt::cpu
