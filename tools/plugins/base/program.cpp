#include "tools/plugins/base/program.h"

#include "tools/import/model_builder.h"
#include "tools/import/network/network_check.h"
#include "tools/plugins/base/api_call.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>

namespace nnrt::plugins {
namespace {

constexpr size_t kRoom = size_t{1} << 16;  // initial bytes for outputs of unknown size

Result<import::Tensor> described(const import::TensorDescHandle& made) {
  if (!made) return Error{Code::failed, import::with_last_error("A tensor of the model has no description.")};
  import::Tensor tensor;
  const char* name = nullptr;
  int32_t* shape = nullptr;
  size_t rank = 0;
  NNRT_TRY(check(OH_NNTensorDesc_GetName(made.get(), &name), "OH_NNTensorDesc_GetName"));
  NNRT_TRY(check(OH_NNTensorDesc_GetDataType(made.get(), &tensor.type), "OH_NNTensorDesc_GetDataType"));
  NNRT_TRY(check(OH_NNTensorDesc_GetFormat(made.get(), &tensor.format), "OH_NNTensorDesc_GetFormat"));
  NNRT_TRY(check(OH_NNTensorDesc_GetShape(made.get(), &shape, &rank), "OH_NNTensorDesc_GetShape"));
  tensor.name = name;
  tensor.shape.assign(shape, shape + rank);
  return tensor;
}

template <auto count_of, auto make_description>
Result<std::vector<import::Tensor>> described(const OH_NNExecutor* executor) {
  size_t count = 0;
  NNRT_TRY(check(count_of(executor, &count), "Counting the tensors of an executor"));
  std::vector<import::Tensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    NNRT_ASSIGN(tensors.emplace_back(), described(import::TensorDescHandle(make_description(executor, i))));
  }
  return tensors;
}

Result<SharedTensor> make_tensor(size_t device, const import::Tensor& declared, const import::Shape& shape,
                                 size_t bytes) {
  import::Tensor tensor = declared;
  tensor.shape = shape;
  NNRT_ASSIGN(const auto description, import::make_description(tensor));
  const std::string call = cat("OH_NNTensor_CreateWithSize of ", declared.name);  // may throw, so first
  NNRT_ASSIGN(auto made,
              own<import::TensorHandle>(
                  OH_NNTensor_CreateWithSize(device, description.get(), std::max<size_t>(bytes, 1)), call));
  return SharedTensor(std::move(made));
}

std::vector<NN_Tensor*> pointers(const std::vector<SharedTensor>& tensors) {
  std::vector<NN_Tensor*> result;
  for (const SharedTensor& tensor : tensors) result.push_back(tensor.get());
  return result;
}

}  // namespace

Result<SharedTensor> make_tensor(size_t device, const import::Tensor& declared, const import::Shape& shape) {
  NNRT_ASSIGN(const size_t bytes, import::byte_count(declared.type, shape));
  return make_tensor(device, declared, shape, bytes);
}

bool is_dynamic(const import::Shape& shape) {
  return std::ranges::any_of(shape, [](int32_t dimension) { return dimension < 0; });
}

Result<Program> Program::create(const CompiledNetwork& model) {
  Program made;
  made.device_ = model.device();
  NNRT_ASSIGN(made.executor_, own<import::ExecutorHandle>(OH_NNExecutor_Construct(model.handle()),
                                                          "OH_NNExecutor_Construct"));
  OH_NNExecutor* const executor = made.executor_.get();
  NNRT_ASSIGN(made.inputs_,
              (described<OH_NNExecutor_GetInputCount, OH_NNExecutor_CreateInputTensorDesc>(executor)));
  NNRT_ASSIGN(made.outputs_,
              (described<OH_NNExecutor_GetOutputCount, OH_NNExecutor_CreateOutputTensorDesc>(executor)));
  made.input_shapes_.resize(made.inputs_.size());
  made.input_tensors_.resize(made.inputs_.size());
  made.output_tensors_.resize(made.outputs_.size());
  return made;
}

Result<NN_Tensor*> Program::input(size_t i, const import::Shape& shape) {
  if (!input_tensors_[i] || input_shapes_[i] != shape) {
    NNRT_ASSIGN(input_tensors_[i], make_tensor(device_, inputs_[i], shape));
    input_shapes_[i] = shape;
  }
  return input_tensors_[i].get();
}

void Program::bind_input(size_t i, SharedTensor tensor, import::Shape shape) {
  input_tensors_[i] = std::move(tensor);
  input_shapes_[i] = std::move(shape);
}

Result<NN_Tensor*> Program::output(size_t i) {
  if (output_tensors_[i]) return output_tensors_[i].get();
  const import::Tensor& declared = outputs_[i];
  if (!is_dynamic(declared.shape)) {
    NNRT_ASSIGN(output_tensors_[i], make_tensor(device_, declared, declared.shape));
    return output_tensors_[i].get();
  }
  NNRT_ASSIGN(output_tensors_[i], make_tensor(device_, declared, declared.shape, kRoom));
  NNRT_TRY(check(OH_NNRt_GrowInRuns(output_tensors_[i].get()), "OH_NNRt_GrowInRuns"));
  return output_tensors_[i].get();
}

Result<bool> Program::may_share(size_t input, size_t output) const {
  bool may = false;
  NNRT_TRY(check(OH_NNRt_MayShareMemory(executor_.get(), input, output, &may), "OH_NNRt_MayShareMemory"));
  return may;
}

Status Program::run() {
  for (size_t i = 0; i < outputs_.size(); ++i) NNRT_TRY(output(i));
  std::vector<NN_Tensor*> inputs = pointers(input_tensors_), outputs = pointers(output_tensors_);
  return check(
      OH_NNExecutor_RunSync(executor_.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size()),
      "OH_NNExecutor_RunSync");
}

Result<import::Shape> Program::output_shape(size_t i) const {
  int32_t* dimensions = nullptr;
  uint32_t rank = 0;
  NNRT_TRY(check(OH_NNExecutor_GetOutputShape(executor_.get(), static_cast<uint32_t>(i), &dimensions, &rank),
                 "OH_NNExecutor_GetOutputShape"));
  return import::Shape(dimensions, dimensions + rank);
}

}  // namespace nnrt::plugins
