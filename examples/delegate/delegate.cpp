// A delegate: runs the supported parts of a framework's graph on the runtime and leaves the rest to the
// framework.
#include "toy_framework.h"

#include <neural_network_runtime/neural_network_runtime.h>
#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace {

void check(OH_NN_ReturnCode code, const char* call) {
  if (code == OH_NN_SUCCESS) return;
  std::fprintf(stderr, "%s answered %d.\n", call, int(code));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

struct Destroyer {
  void operator()(OH_NNModel* model) const { OH_NNModel_Destroy(&model); }
  void operator()(OH_NNExecutor* executor) const { OH_NNExecutor_Destroy(&executor); }
  void operator()(NN_Tensor* tensor) const { OH_NNTensor_Destroy(&tensor); }
};
using Model = std::unique_ptr<OH_NNModel, Destroyer>;

// The runtime's operator, or -1.
int operator_of(toy::Kind kind) {
  switch (kind) {
    case toy::Kind::add: return OH_NN_OPS_ADD;
    case toy::Kind::multiply: return OH_NN_OPS_MUL;
    case toy::Kind::relu: return OH_NN_OPS_RELU;
    case toy::Kind::clip_to_integer: return -1;
  }
  return -1;
}

// Consecutive nodes, with the tensors that cross their boundary.
struct Part {
  std::vector<toy::Node> nodes;
  std::vector<size_t> inputs, outputs;
  std::unique_ptr<OH_NNExecutor, Destroyer> executor;  // null: the framework runs it
};

bool has(const std::vector<size_t>& list, size_t tensor) {
  return std::ranges::find(list, tensor) != list.end();
}

void find_border(Part& part, const toy::Graph& graph, size_t first) {
  std::vector<size_t> made;
  for (const toy::Node& node : part.nodes) {
    for (const size_t input : node.inputs)
      if (!has(made, input) && !has(part.inputs, input)) part.inputs.push_back(input);
    made.push_back(node.output);
  }
  for (const size_t tensor : made) {
    bool is_read = has(graph.outputs, tensor);
    for (size_t i = first + part.nodes.size(); i < graph.nodes.size(); ++i)
      is_read = is_read || has(graph.nodes[i].inputs, tensor);
    if (is_read) part.outputs.push_back(tensor);
  }
}

// Tensors are numbered in the order they are added to the model.
Model model_of(const Part& part, size_t length) {
  Model model(OH_NNModel_Construct());
  std::map<size_t, uint32_t> numbers;
  const auto number = [&](size_t tensor) {
    if (const auto known = numbers.find(tensor); known != numbers.end()) return known->second;
    const auto shape = int32_t(length);
    NN_TensorDesc* desc = OH_NNTensorDesc_Create();
    CHECK(OH_NNTensorDesc_SetShape(desc, &shape, 1));
    CHECK(OH_NNTensorDesc_SetDataType(desc, OH_NN_FLOAT32));
    CHECK(OH_NNModel_AddTensorToModel(model.get(), desc));
    CHECK(OH_NNTensorDesc_Destroy(&desc));
    return numbers[tensor] = uint32_t(numbers.size());
  };
  const auto all = [&](const std::vector<size_t>& tensors) {
    std::vector<uint32_t> list;
    list.reserve(tensors.size());
    for (const size_t tensor : tensors) list.push_back(number(tensor));
    return list;
  };
  const auto array = [](std::vector<uint32_t>& list) {
    return OH_NN_UInt32Array{list.data(), uint32_t(list.size())};
  };
  for (const toy::Node& node : part.nodes) {
    std::vector<uint32_t> reads = all(node.inputs), writes = all({node.output});
    const OH_NN_UInt32Array none{nullptr, 0}, inputs = array(reads), outputs = array(writes);
    CHECK(OH_NNModel_AddOperation(model.get(), OH_NN_OperationType(operator_of(node.kind)), &none, &inputs,
                                  &outputs));
  }
  std::vector<uint32_t> enters = all(part.inputs), leaves = all(part.outputs);
  const OH_NN_UInt32Array inputs = array(enters), outputs = array(leaves);
  CHECK(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs));
  CHECK(OH_NNModel_Finish(model.get()));
  return model;
}

// Explains why no device supports all of it; a real delegate would split the part where support differs.
std::string explanation(const OH_NNModel* model) {
  size_t length = 0;
  CHECK(OH_NNRt_ExplainOperations(model, nullptr, 0, &length));
  std::string text(length + 1, 0);
  CHECK(OH_NNRt_ExplainOperations(model, text.data(), text.size(), &length));
  return text;
}

void compile(Part& part, size_t length) {
  const Model model = model_of(part, length);
  const bool* is_supported = nullptr;
  uint32_t count = 0;
  CHECK(OH_NNModel_GetAvailableOperations(model.get(), 0, &is_supported, &count));
  if (!std::all_of(is_supported, is_supported + count, [](bool is) { return is; })) {
    std::printf("The framework keeps a part: %s\n", explanation(model.get()).c_str());
    return;
  }
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model.get());
  CHECK(OH_NNCompilation_Build(compilation));
  part.executor.reset(OH_NNExecutor_Construct(compilation));
  OH_NNCompilation_Destroy(&compilation);
}

// Alternating parts of supported and unsupported nodes.
std::vector<Part> partition(const toy::Graph& graph) {
  std::vector<Part> parts;
  for (size_t first = 0; first < graph.nodes.size(); first += parts.back().nodes.size()) {
    Part& part = parts.emplace_back();
    const bool is_known = operator_of(graph.nodes[first].kind) >= 0;
    for (size_t i = first; i < graph.nodes.size() && (operator_of(graph.nodes[i].kind) >= 0) == is_known; ++i)
      part.nodes.push_back(graph.nodes[i]);
    find_border(part, graph, first);
    if (is_known) compile(part, graph.length);
  }
  return parts;
}

// Tensor memory is shared with the device: a framework that allocates its tensors there copies nothing.
void run(const Part& part, toy::Values& values) {
  std::vector<std::unique_ptr<NN_Tensor, Destroyer>> tensors;
  std::vector<NN_Tensor*> inputs, outputs;
  for (size_t i = 0; i < part.inputs.size() + part.outputs.size(); ++i) {
    const bool is_input = i < part.inputs.size();
    NN_TensorDesc* desc =
        is_input ? OH_NNExecutor_CreateInputTensorDesc(part.executor.get(), i)
                 : OH_NNExecutor_CreateOutputTensorDesc(part.executor.get(), i - part.inputs.size());
    tensors.emplace_back(OH_NNTensor_Create(0, desc));
    CHECK(OH_NNTensorDesc_Destroy(&desc));
    (is_input ? inputs : outputs).push_back(tensors.back().get());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<float>& from = values[part.inputs[i]];
    std::memcpy(OH_NNTensor_GetDataBuffer(inputs[i]), from.data(), from.size() * sizeof(float));
  }
  CHECK(OH_NNExecutor_RunSync(part.executor.get(), inputs.data(), inputs.size(), outputs.data(),
                              outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto* data = static_cast<const float*>(OH_NNTensor_GetDataBuffer(outputs[i]));
    values[part.outputs[i]].assign(data, data + values[part.inputs.front()].size());
  }
}

}  // namespace

int main() {
  const toy::Graph graph = toy::example();
  toy::Values alone(graph.tensors);
  alone[0] = {-2, -1, 0, 1, 2, 3};
  alone[1] = {1.5, 0.5, 4, 2.25, 1, 0.75};
  toy::Values delegated = alone;
  for (const toy::Node& node : graph.nodes) toy::run(node, alone);

  const std::vector<Part> parts = partition(graph);
  for (const Part& part : parts) {
    std::printf("%zu %s on %s.\n", part.nodes.size(), part.nodes.size() == 1 ? "node runs" : "nodes run",
                part.executor ? "the runtime" : "the framework");
    if (part.executor) {
      run(part, delegated);
    } else {
      for (const toy::Node& node : part.nodes) toy::run(node, delegated);
    }
  }
  const bool is_equal = delegated[6] == alone[6];
  std::printf("The result is %s that of the framework alone.\n", is_equal ? "equal to" : "different from");
  return is_equal ? 0 : 1;
}
