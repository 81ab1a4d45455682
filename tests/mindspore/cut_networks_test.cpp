// Golden networks in two parts, as delegates since OpenHarmony 4.1 cut graphs: the first nodes and the others
// are graphs of their own, compiled while the complete graph is alive.
#include "mindspore/model/source_graph.h"
#include "mindspore/schema/enumerations.h"
#include "tests/mindspore/client_run.h"
#include "tests/mindspore/golden_file.h"
#include "tests/mindspore/lite_graph_maker.h"
#include "tests/support/golden_case.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

namespace nnrt::test {
namespace {

using Values = std::map<const void*, conformance::Value>;  // by the tensor's table

conformance::Shape shape_of(const void* table) {
  const mindspore::MappedMemory mapped;
  const mindspore::FlatBuffer memory(mapped);
  const auto tensor =
      mindspore::read_tensor(mindspore::FlatTable::at(memory, table), [](ByteView) { return SharedBytes(); });
  return {tensor.dims.begin(), tensor.dims.end()};
}

size_t bytes_of(const void* table) {
  const mindspore::MappedMemory mapped;
  const mindspore::FlatBuffer memory(mapped);
  const auto tensor =
      mindspore::read_tensor(mindspore::FlatTable::at(memory, table), [](ByteView) { return SharedBytes(); });
  return byte_size(mindspore::dtype_of(tensor.type_id), tensor.dims).value();
}

// Computes the part's outputs from values that are known. Returns the call that failed.
std::string run_part(LiteGraph* part, Values& values) {
  conformance::Run run;
  std::vector<const void*> results;
  for (const uint32_t id : part->inputs) run.inputs.push_back(values.at(part->tensors[id]));
  for (const uint32_t id : part->outputs) {
    results.push_back(part->tensors[id]);
    run.outputs.push_back({shape_of(results.back()), conformance::Bytes(bytes_of(results.back())), {}});
  }
  OH_NNModel* model = OH_NNModel_Construct();
  if (OH_NNModel_BuildFromLiteGraph(model, part, nullptr, 0) != OH_NN_SUCCESS) {
    free_graph(part);
    OH_NNModel_Destroy(&model);
    return "BuildFromLiteGraph";
  }
  const Results made = run_model(model, run);
  for (size_t i = 0; i < made.outputs.size(); ++i)
    values[results[i]] = {run.outputs[i].shape, made.outputs[i], {}};
  return made.failure;
}

void expect_close(const conformance::Bytes& got, const conformance::Value& want, const std::string& name) {
  ASSERT_EQ(got.size(), want.data.size()) << name;
  for (size_t at = 0; at + sizeof(float) <= got.size(); at += sizeof(float)) {
    float a = 0, b = 0;
    std::memcpy(&a, got.data() + at, sizeof a);
    std::memcpy(&b, want.data.data() + at, sizeof b);
    ASSERT_NEAR(double(a), double(b), want.tolerance.absolute + want.tolerance.relative * std::abs(double(b)))
        << name << ", element " << at / sizeof(float);
  }
}

bool is_static(const Graph& graph) {
  for (const Shape& shape : graph.shapes)
    if (std::ranges::find(shape, kUnknown) != shape.end()) return false;
  return true;
}

bool has_float_outputs(const conformance::Case& golden) {
  return std::ranges::all_of(golden.outputs,
                             [&](uint32_t id) { return golden.tensors[id].dataType == OH_NN_FLOAT32; });
}

// Returns whether the case was run in two parts.
bool run_in_parts(const conformance::Case& golden) {
  const Composed composed = compose(golden);
  if (golden.operations.size() < 4 || golden.reject || golden.runs.empty() || !composed.graph ||
      !is_static(*composed.graph) || !has_float_outputs(golden))
    return false;
  const std::optional<Bytes> file = file_of(*composed.graph, Origin::converter);
  if (!file) return false;
  LiteGraph* const whole = load_graph(*file);
  const size_t half = whole->nodes.size() / 2;
  LiteGraph* const head = cut_graph(*whole, 0, half);
  if (head->inputs.empty()) {  // nodes of constants only, which MindSpore has computed before
    free_graph(head);
    free_graph(whole);
    return false;
  }
  OH_NNModel* model = OH_NNModel_Construct();
  EXPECT_EQ(OH_NNModel_BuildFromLiteGraph(model, whole, nullptr, 0), OH_NN_SUCCESS) << golden.name;
  Values values;
  for (size_t i = 0; i < whole->inputs.size(); ++i)
    values[whole->tensors[whole->inputs[i]]] = golden.runs[0].inputs[i];
  EXPECT_EQ(run_part(head, values), "") << golden.name;
  EXPECT_EQ(run_part(cut_graph(*whole, half, whole->nodes.size() - half), values), "") << golden.name;
  for (size_t i = 0; i < whole->outputs.size(); ++i)
    expect_close(values[whole->tensors[whole->outputs[i]]].data, golden.runs[0].outputs[i], golden.name);
  OH_NNModel_Destroy(&model);
  return true;
}

TEST(CutNetworks, HaveTheirResults) {
  constexpr int kLeast = 10;
  int count = 0;
  for (const conformance::Case& golden : golden_cases()) count += run_in_parts(golden) ? 1 : 0;
  RecordProperty("cases", count);
  EXPECT_GE(count, kLeast);
}

}  // namespace
}  // namespace nnrt::test
