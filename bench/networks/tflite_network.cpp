#include "networks/tflite_network.h"

#include <tflite_generated.h>

#include <algorithm>
#include <stdexcept>

namespace bench {
namespace {

namespace format = nnrt::import::tflite::format;
using conformance::Case;
using conformance::Operation;
using conformance::Tensor;

class TfliteFile {
 public:
  explicit TfliteFile(const Case& network) : network_(network) {
    model_.version = 3;
    model_.buffers.push_back(std::make_unique<format::BufferT>());  // buffer 0 is empty by convention
    model_.subgraphs.push_back(std::make_unique<format::SubGraphT>());
    auto code = std::make_unique<format::OperatorCodeT>();
    code->builtin_code = static_cast<int32_t>(format::BuiltinOperator::FULLY_CONNECTED);
    model_.operator_numbers.push_back(std::move(code));
  }

  std::string write() {
    for (const Operation& operation : network_.operations) add(operation);
    for (const uint32_t id : network_.inputs) graph().inputs.push_back(tensor(id));
    for (const uint32_t id : network_.outputs) graph().outputs.push_back(tensor(id));
    flatbuffers::FlatBufferBuilder builder;
    format::FinishModelBuffer(builder, format::CreateModel(builder, &model_));
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
  }

 private:
  format::SubGraphT& graph() { return *model_.subgraphs[0]; }

  int32_t tensor(uint32_t id) {
    if (numbers_.empty()) numbers_.resize(network_.tensors.size(), -1);
    if (numbers_[id] >= 0) return numbers_[id];
    const Tensor& from = network_.tensors[id];
    auto to = std::make_unique<format::TensorT>();
    to->name = std::to_string(id);
    to->type = format::TensorType::FLOAT32;
    to->shape = from.shape;
    if (from.data) {
      to->buffer = static_cast<uint32_t>(model_.buffers.size());
      model_.buffers.push_back(std::make_unique<format::BufferT>());
      model_.buffers.back()->data = *from.data;
    }
    numbers_[id] = static_cast<int32_t>(graph().tensors.size());
    graph().tensors.push_back(std::move(to));
    return numbers_[id];
  }

  bool has_relu(const Operation& operation) const {
    return std::ranges::any_of(operation.params, [&](uint32_t id) {
      const Tensor& parameter = network_.tensors[id];
      return parameter.type == OH_NN_FULL_CONNECTION_ACTIVATIONTYPE &&
             parameter.data->front() == OH_NN_FUSED_RELU;
    });
  }

  void add(const Operation& operation) {
    if (operation.type != OH_NN_OPS_FULL_CONNECTION)
      throw std::invalid_argument("TFLite files are only written for fully connected layers.");
    auto op = std::make_unique<format::OperatorT>();
    for (const uint32_t id : operation.inputs) op->inputs.push_back(tensor(id));
    for (const uint32_t id : operation.outputs) op->outputs.push_back(tensor(id));
    format::FullyConnectedOptionsT options;
    options.activation = has_relu(operation) ? format::Activation::RELU : format::Activation::NONE;
    op->builtin_options.Set(std::move(options));
    graph().operators.push_back(std::move(op));
  }

  const Case& network_;
  format::ModelT model_;
  std::vector<int32_t> numbers_;  // in the file, by tensor; -1: not written yet
};

}  // namespace

std::string to_tflite(const Case& network) { return TfliteFile(network).write(); }

}  // namespace bench
