#include "tools/plugins/onnxruntime/run/runner.h"

#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/plugins/onnxruntime/run/runtime_call.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace nnrt::ep {
namespace {

constexpr size_t kRoom = 4096;  // for an output whose size is not known

std::string to_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (const int64_t length : shape) text += (text.size() == 1 ? "" : ", ") + std::to_string(length);
  return text + "]";
}

// Fails unless the model takes the shape.
Result<import::Shape> checked_shape(size_t index, const import::Shape& declared, const Dimensions& given) {
  bool fits = declared.size() == given.size();
  for (size_t d = 0; fits && d < given.size(); ++d) {
    fits = given[d] >= 0 && given[d] <= std::numeric_limits<int32_t>::max() &&
           (declared[d] == -1 || declared[d] == given[d]);
  }
  if (fits) return import::Shape(given.begin(), given.end());
  const Dimensions wanted(declared.begin(), declared.end());
  return invalid("The shape ", to_text(given), " of input ", index, " is not ", to_text(wanted),
                 ", as the model declares (-1: any length).");
}

}  // namespace

bool CompiledGroup::Runner::Slot::is_dynamic() const {
  return std::ranges::find(declared, -1) != declared.end();
}

Result<CompiledGroup::Runner::Slot> CompiledGroup::Runner::read_slot(NN_TensorDesc* desc) {
  if (desc == nullptr) return made_nothing("OH_NNExecutor_CreateTensorDesc");
  Slot slot;
  slot.desc.reset(desc);
  int32_t* shape = nullptr;
  size_t rank = 0;
  NNRT_TRY(called(OH_NNTensorDesc_GetDataType(desc, &slot.type), "OH_NNTensorDesc_GetDataType"));
  NNRT_TRY(called(OH_NNTensorDesc_GetShape(desc, &shape, &rank), "OH_NNTensorDesc_GetShape"));
  slot.declared.assign(shape, shape + rank);
  return slot;
}

Result<std::unique_ptr<CompiledGroup::Runner>> CompiledGroup::Runner::create(OH_NNCompilation* compilation,
                                                                             size_t device) {
  auto runner = std::make_unique<Runner>();
  runner->device_ = device;
  runner->executor_.reset(OH_NNExecutor_Construct(compilation));
  OH_NNExecutor* const executor = runner->executor_.get();
  if (executor == nullptr) return made_nothing("OH_NNExecutor_Construct");
  size_t inputs = 0, outputs = 0;
  NNRT_TRY(called(OH_NNExecutor_GetInputCount(executor, &inputs), "OH_NNExecutor_GetInputCount"));
  NNRT_TRY(called(OH_NNExecutor_GetOutputCount(executor, &outputs), "OH_NNExecutor_GetOutputCount"));
  for (size_t i = 0; i < inputs; ++i) {
    NNRT_ASSIGN(runner->inputs_.emplace_back(), read_slot(OH_NNExecutor_CreateInputTensorDesc(executor, i)));
  }
  for (size_t i = 0; i < outputs; ++i) {
    NNRT_ASSIGN(runner->outputs_.emplace_back(),
                read_slot(OH_NNExecutor_CreateOutputTensorDesc(executor, i)));
  }
  return runner;
}

Status CompiledGroup::Runner::make_tensor(Slot& slot, const Shape& shape, size_t bytes) const {
  if (!shape.empty())
    NNRT_TRY(called(OH_NNTensorDesc_SetShape(slot.desc.get(), shape.data(), shape.size()),
                    "OH_NNTensorDesc_SetShape"));
  slot.tensor.reset(OH_NNTensor_CreateWithSize(device_, slot.desc.get(), std::max<size_t>(bytes, 1)));
  if (!slot.tensor) return made_nothing("OH_NNTensor_CreateWithSize");
  slot.shape = shape;
  slot.shared = nullptr;
  return {};
}

Status CompiledGroup::Runner::bind_shared(Slot& slot, const Shape& shape, const void* data,
                                          const SharedBuffers::Place& place, size_t bytes) const {
  if (slot.shared == data && slot.shape == shape) return {};
  if (!shape.empty())
    NNRT_TRY(called(OH_NNTensorDesc_SetShape(slot.desc.get(), shape.data(), shape.size()),
                    "OH_NNTensorDesc_SetShape"));
  slot.tensor.reset(
      OH_NNTensor_CreateWithFd(device_, slot.desc.get(), place.fd, place.offset + bytes, place.offset));
  if (!slot.tensor) return made_nothing("OH_NNTensor_CreateWithFd");
  slot.shape = shape;
  slot.shared = data;
  return {};
}

Status CompiledGroup::Runner::bind_input(Slot& slot, size_t index, const HostTensor& tensor) const {
  NNRT_ASSIGN(const Shape shape, checked_shape(index, slot.declared, tensor.shape));
  NNRT_ASSIGN(const size_t bytes, import::byte_count(slot.type, shape));
  const auto place = bytes > 0 ? SharedBuffers::instance().find(tensor.data, bytes) : std::nullopt;
  if (place) return bind_shared(slot, shape, tensor.data, *place, bytes);
  if (!slot.tensor || slot.shared != nullptr || slot.shape != shape)
    NNRT_TRY(make_tensor(slot, shape, bytes));
  if (bytes > 0) std::memcpy(OH_NNTensor_GetDataBuffer(slot.tensor.get()), tensor.data, bytes);
  return {};
}

Result<void*> CompiledGroup::Runner::bind_output(Slot& slot, size_t index, const Output& output) const {
  if (slot.is_dynamic()) {
    if (slot.tensor) return nullptr;
    NNRT_TRY(make_tensor(slot, slot.declared, kRoom));
    NNRT_TRY(called(OH_NNRt_GrowInRuns(slot.tensor.get()), "OH_NNRt_GrowInRuns"));
    return nullptr;
  }
  NNRT_ASSIGN(void* const memory, output(index, Dimensions(slot.declared.begin(), slot.declared.end())));
  NNRT_ASSIGN(const size_t bytes, import::byte_count(slot.type, slot.declared));
  const auto place = SharedBuffers::instance().find(memory, bytes);
  if (place)
    NNRT_TRY(bind_shared(slot, slot.declared, memory, *place, bytes));
  else if (!slot.tensor || slot.shared != nullptr)
    NNRT_TRY(make_tensor(slot, slot.declared, bytes));
  return memory;
}

Status CompiledGroup::Runner::run(std::span<const HostTensor> inputs, const Output& output) {
  if (inputs.size() != inputs_.size())
    return invalid("The model has ", inputs_.size(), " inputs, not ", inputs.size(), ".");
  std::vector<NN_Tensor*> fed, made;
  std::vector<void*> memory;
  for (size_t i = 0; i < inputs.size(); ++i) {
    NNRT_TRY(bind_input(inputs_[i], i, inputs[i]));
    fed.push_back(inputs_[i].tensor.get());
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    NNRT_ASSIGN(memory.emplace_back(), bind_output(outputs_[i], i, output));
    made.push_back(outputs_[i].tensor.get());
  }
  NNRT_TRY(called(OH_NNExecutor_RunSync(executor_.get(), fed.data(), fed.size(), made.data(), made.size()),
                  "OH_NNExecutor_RunSync"));
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    Slot& slot = outputs_[i];
    int32_t* dimensions = nullptr;
    uint32_t rank = 0;
    NNRT_TRY(called(OH_NNExecutor_GetOutputShape(executor_.get(), i, &dimensions, &rank),
                    "OH_NNExecutor_GetOutputShape"));
    const Shape shape(dimensions, dimensions + rank);
    if (memory[i] == nullptr) {
      NNRT_ASSIGN(memory[i], output(i, Dimensions(shape.begin(), shape.end())));
    }
    NNRT_ASSIGN(const size_t bytes, import::byte_count(slot.type, shape));
    if (slot.shared == nullptr && bytes > 0)
      std::memcpy(memory[i], OH_NNTensor_GetDataBuffer(slot.tensor.get()), bytes);
  }
  return {};
}

}  // namespace nnrt::ep
