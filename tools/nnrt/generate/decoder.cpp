#include "tools/nnrt/generate/decoder.h"

#include "tools/import/model_builder.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

namespace nnrt::tool {
namespace {

constexpr int kPositionsFromEnd = 2;  // the position dimension of a state, from the end

bool is_number(const import::Tensor& tensor) {
  const bool is_integer = tensor.type == OH_NN_INT32 || tensor.type == OH_NN_INT64;
  return is_integer && std::ranges::all_of(tensor.shape, [](int32_t size) { return size == 1; });
}

Error unfit(const std::string& why) {
  return {Code::invalid_parameter, "The model is not a decoder: " + why};
}

Result<import::TensorHandle> make_tensor(const Device& device, const import::Tensor& declared) {
  if (is_dynamic(declared.shape))
    return unfit(cat("The shape of ", declared.name, " ", to_string(declared.shape), " is open."));
  NNRT_ASSIGN(const auto desc, import::make_description(declared));
  return own<import::TensorHandle>(OH_NNTensor_Create(device.id, desc.get()),
                                   cat("OH_NNTensor_Create of ", declared.name));
}

void set_number(NN_Tensor* tensor, OH_NN_DataType type, int64_t value) {
  void* to = OH_NNTensor_GetDataBuffer(tensor);
  if (type == OH_NN_INT64) {
    std::memcpy(to, &value, sizeof value);
  } else {
    const auto narrow = static_cast<int32_t>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  }
}

// Copies a state into one with more positions.
void copy_positions(const Array& from, const Shape& to_shape, std::byte* to) {
  const size_t axis = to_shape.size() - kPositionsFromEnd;
  size_t outer = 1;
  for (size_t d = 0; d < axis; ++d) outer *= static_cast<size_t>(to_shape[d]);
  const size_t row = from.bytes.size() / outer;
  const size_t stride = row / static_cast<size_t>(from.shape[axis]) * static_cast<size_t>(to_shape[axis]);
  for (size_t i = 0; i < outer; ++i) std::memcpy(to + i * stride, from.bytes.data() + i * row, row);
}

}  // namespace

Result<Decoder> Decoder::create(const Executable& executable) {
  Decoder decoder;
  decoder.executable_ = &executable;
  NNRT_TRY(decoder.find_inputs());
  NNRT_ASSIGN(decoder.executor_,
              own<import::ExecutorHandle>(OH_NNExecutor_Construct(executable.compilation()),
                                          "OH_NNExecutor_Construct"));
  NNRT_TRY(decoder.make_tensors());
  return decoder;
}

Status Decoder::find_inputs() {
  const auto& inputs = executable_->inputs();
  const auto& outputs = executable_->outputs();
  for (size_t i = 0; i < inputs.size(); ++i) (is_number(inputs[i]) ? numbers_ : state_).push_back(i);
  if (numbers_.size() != 2) return unfit(cat("It has ", numbers_.size(), " inputs of one integer, not 2."));
  if (state_.empty() || outputs.size() != 1 + state_.size()) {
    return unfit(
        cat("It has ", state_.size(), " inputs and ", outputs.size(), " outputs besides its scalars."));
  }
  if (outputs[0].type != OH_NN_FLOAT32) return unfit("Its first output is not FLOAT32.");
  capacity_ = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < state_.size(); ++i) {
    const import::Tensor& before = inputs[state_[i]];
    const import::Tensor& after = outputs[1 + i];
    if (before.shape != after.shape || before.type != after.type || before.shape.size() < kPositionsFromEnd)
      return unfit(cat(before.name, " and ", after.name, " have different types or shapes."));
    capacity_ = std::min<int64_t>(capacity_, before.shape[before.shape.size() - kPositionsFromEnd]);
  }
  return {};
}

Status Decoder::make_tensors() {
  const Device& device = executable_->device();
  for (const size_t i : numbers_) {
    NNRT_ASSIGN(import::TensorHandle tensor, make_tensor(device, executable_->inputs()[i]));
    number_tensors_.push_back(std::move(tensor));
  }
  NNRT_ASSIGN(logits_, make_tensor(device, executable_->outputs()[0]));
  is_in_place_ = true;
  for (size_t i = 0; i < state_.size(); ++i)
    is_in_place_ = is_in_place_ && may_share_memory(executor_.get(), state_[i], 1 + i);
  for (Tensors& tensors : std::span(states_).first(is_in_place_ ? 1 : 2)) {
    for (const size_t i : state_) {
      const import::Tensor& declared = executable_->inputs()[i];
      NNRT_ASSIGN(import::TensorHandle tensor, make_tensor(device, declared));
      NNRT_ASSIGN(const size_t size, import::byte_count(declared.type, declared.shape));
      std::memset(OH_NNTensor_GetDataBuffer(tensor.get()), 0, size);
      NNRT_TRY(keep_on_device(tensor.get()));
      tensors.push_back(std::move(tensor));
    }
  }
  return {};
}

Status Decoder::restore(std::span<const Array> state, int64_t count) {
  if (state.size() != state_.size()) {
    return unfit(cat("It has ", state_.size(), " tensors of state, the prefill model ", state.size(), "."));
  }
  for (size_t i = 0; i < state.size(); ++i) {
    const import::Tensor& declared = executable_->inputs()[state_[i]];
    Shape expected = declared.shape;
    expected[expected.size() - kPositionsFromEnd] = static_cast<int32_t>(count);
    if (state[i].shape != expected || state[i].type != declared.type || count > capacity_) {
      return unfit(cat(declared.name, " ", to_string(declared.shape), " does not take the prompt's ",
                       to_string(state[i].shape), "."));
    }
    NN_Tensor* const tensor = states_[now_][i].get();
    copy_positions(state[i], declared.shape, static_cast<std::byte*>(OH_NNTensor_GetDataBuffer(tensor)));
    NNRT_TRY(sync_from_host(tensor));
  }
  return {};
}

std::vector<NN_Tensor*> Decoder::inputs() const {
  std::vector<NN_Tensor*> all(executable_->inputs().size());
  for (size_t i = 0; i < numbers_.size(); ++i) all[numbers_[i]] = number_tensors_[i].get();
  for (size_t i = 0; i < state_.size(); ++i) all[state_[i]] = states_[now_][i].get();
  return all;
}

std::vector<NN_Tensor*> Decoder::outputs() const {
  std::vector<NN_Tensor*> all{logits_.get()};
  for (const import::TensorHandle& tensor : states_[is_in_place_ ? now_ : 1 - now_])
    all.push_back(tensor.get());
  return all;
}

Result<std::span<const float>> Decoder::step(int64_t token, int64_t position) {
  if (position < 0 || position >= capacity_) {
    return Error{Code::invalid_parameter, cat("Position (", position, ") is outside [0, ", capacity_, ").")};
  }
  const int64_t numbers[] = {token, position};
  for (size_t i = 0; i < std::size(numbers); ++i)
    set_number(number_tensors_[i].get(), executable_->inputs()[numbers_[i]].type, numbers[i]);
  std::vector<NN_Tensor*> fed = inputs(), made = outputs();
  NNRT_TRY(check(OH_NNExecutor_RunSync(executor_.get(), fed.data(), fed.size(), made.data(), made.size()),
                 "OH_NNExecutor_RunSync"));
  if (!is_in_place_) now_ = 1 - now_;
  const import::Tensor& declared = executable_->outputs()[0];
  NNRT_ASSIGN(const size_t size, import::byte_count(declared.type, declared.shape));
  return std::span(static_cast<const float*>(OH_NNTensor_GetDataBuffer(logits_.get())), size / sizeof(float));
}

Result<std::vector<float>> last_logits(const Array& logits) {
  if (logits.type != OH_NN_FLOAT32 || logits.shape.empty() || logits.count() == 0)
    return unfit("Its first output is not FLOAT32.");
  const auto width = static_cast<size_t>(logits.shape.back());
  std::vector<float> row(width);
  std::memcpy(row.data(), logits.bytes.data() + logits.bytes.size() - width * sizeof(float),
              width * sizeof(float));
  return row;
}

}  // namespace nnrt::tool
