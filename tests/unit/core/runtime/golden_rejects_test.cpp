// Each golden case that must be refused is refused by the documented call with the documented code (R4):
// AddOperation for structure, Build for semantics, the run for what is only known then.
#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/support/golden_case.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

#include <map>

namespace nnrt {
namespace {

constexpr size_t kRoom = 1 << 16;

struct Refused {
  std::string call;
  Code code{};
  std::string message = {};
};

TensorView view_of_value(const conformance::Value& value) {
  TensorView view =
      test::empty_view(std::max<size_t>(value.data.size(), 1), {value.shape.begin(), value.shape.end()});
  std::copy_n(reinterpret_cast<const std::byte*>(value.data.data()), value.data.size(), view.data());
  return view;
}

Status run_on(const std::shared_ptr<const CompiledModel>& model, const conformance::Case& golden) {
  Execution execution(model);
  for (const conformance::Run& run : golden.runs) {
    std::vector<TensorView> inputs;
    std::vector<OutputSlot> outputs;
    for (const conformance::Value& value : run.inputs) inputs.push_back(view_of_value(value));
    // The outputs are placeholders, large enough that only the case itself can be refused.
    for (size_t i = 0; i < run.outputs.size(); ++i) outputs.push_back({test::empty_view(kRoom)});
    NNRT_TRY(execution.run(inputs, outputs, {}));
  }
  return {};
}

Refused refusal_of(const conformance::Case& golden, Device& cpu) {
  const test::Composed composed = test::compose(golden);
  if (composed.graph == nullptr)
    return {std::string(composed.call), composed.error.code, composed.error.message};
  const auto model = compile(composed.graph, cpu, nullptr, {});
  if (!model.ok()) return {"build", model.error().code, model.error().message};
  const Status status = run_on(model.value(), golden);
  if (status.ok()) return {"nobody", Code::failed};
  return {"run", status.error().code, status.error().message};
}

bool is_documented(const Refused& refused, bool asserts) {
  if (refused.call == "add_operation") return refused.code == Code::invalid_parameter;
  if (refused.call == "build")
    return refused.code == Code::invalid_parameter || refused.code == Code::unsupported;
  return refused.call == "run" && refused.code == (asserts ? Code::failed : Code::invalid_parameter);
}

TEST(GoldenRejects, NameTheirStageAndCode) {
  conformance::Collection collection;
  conformance::load(NNRT_GOLDEN_CASES, collection);
  const std::shared_ptr<Device> cpu = cpu::make_device();
  std::map<std::string, size_t> by_call;
  for (const conformance::Case& golden : collection.cases) {
    if (!golden.reject) continue;
    const Refused refused = refusal_of(golden, *cpu);
    const bool asserts = golden.operations.back().type == OH_NN_OPS_ASSERT;
    EXPECT_TRUE(is_documented(refused, asserts)) << golden.name << " is refused by " << refused.call
                                                 << " with code " << static_cast<int>(refused.code);
    EXPECT_TRUE(refused.message.ends_with('.')) << golden.name << ": " << refused.message;
    ++by_call[refused.call];
  }
  EXPECT_GT(by_call["add_operation"], 100u);
  EXPECT_GT(by_call["build"], 100u);
  EXPECT_GT(by_call["run"], 10u);
}

}  // namespace
}  // namespace nnrt
