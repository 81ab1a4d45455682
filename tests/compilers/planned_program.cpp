#include "tests/compilers/planned_program.h"

#include "backends/vulkan/program/build/program_builder.h"
#include "backends/vulkan/program/place_barriers.h"
#include "backends/vulkan/program/vulkan_graph_passes.h"

namespace nnrt::test {

Result<PlannedProgram> planned_program(const GraphPtr& model, const vulkan::DevicePlan& plan, bool float16) {
  using namespace vulkan;
  const PassContext context{plan, float16};
  NNRT_ASSIGN(const GraphPtr simple, run_passes(model_passes(), model, context));
  NNRT_ASSIGN(const GraphPtr graph, run_passes(program_passes(), simple, context));
  Constants constants(plan);
  NNRT_ASSIGN(Program program, build_program(*graph, graph->shapes, plan, constants));
  insert_barriers(program.steps, plan);
  return PlannedProgram{graph, std::move(program)};
}

}  // namespace nnrt::test
