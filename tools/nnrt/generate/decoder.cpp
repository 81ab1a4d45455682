#include "tools/nnrt/generate/decoder.h"

#include "core/base/counted.h"
#include "core/base/fp16.h"
#include "tools/import/model_builder.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace nnrt::tool {
namespace {

// Bounds the memory for the logits of a prompt.
constexpr size_t kMostTokens = 128;

Error unfit(const std::string& why) {
  return {Code::invalid_parameter, "The model is not a decoder: " + why};
}

// With room for `count` positions, or whatever else is open.
Result<import::TensorHandle> make_tensor(const Device& device, const import::Tensor& declared,
                                         int64_t count) {
  NNRT_ASSIGN(const auto desc, import::make_description(declared));
  Shape largest = declared.shape;
  for (int32_t& size : largest)
    if (size < 0) size = static_cast<int32_t>(count);
  NNRT_ASSIGN(const size_t bytes, import::byte_count(declared.type, largest));
  NNRT_ASSIGN(auto tensor, own<import::TensorHandle>(
                               OH_NNTensor_CreateWithSize(device.id, desc.get(), std::max<size_t>(bytes, 1)),
                               cat("OH_NNTensor_CreateWithSize of ", declared.name)));
  std::memset(OH_NNTensor_GetDataBuffer(tensor.get()), 0, bytes);
  return tensor;
}

Status set_shape(NN_Tensor* tensor, const Shape& shape) {
  return check(OH_NNTensorDesc_SetShape(OH_NNTensor_GetTensorDesc(tensor), shape.data(), shape.size()),
               "OH_NNTensorDesc_SetShape");
}

Shape shape_of(const NN_Tensor* tensor) {
  int32_t* shape = nullptr;
  size_t rank = 0;
  if (OH_NNTensorDesc_GetShape(OH_NNTensor_GetTensorDesc(tensor), &shape, &rank) != OH_NN_SUCCESS) return {};
  return {shape, shape + rank};
}

// `shape` with this length where it is open.
Shape with_length(Shape shape, int64_t length) {
  const size_t axis = position_axis(shape);
  if (shape[axis] < 0) shape[axis] = static_cast<int32_t>(length);
  return shape;
}

// Copies a state into one with more positions.
void copy_positions(const Array& from, const Shape& to_shape, std::byte* to) {
  const size_t axis = position_axis(to_shape);
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
  NNRT_ASSIGN(decoder.form_, form_of(executable.inputs(), executable.outputs()));
  NNRT_ASSIGN(decoder.executor_,
              own<import::ExecutorHandle>(OH_NNExecutor_Construct(executable.compilation()),
                                          "OH_NNExecutor_Construct"));
  NNRT_TRY(decoder.make_tensors());
  return decoder;
}

int64_t Decoder::vocabulary() const {
  const Shape& logits = executable_->outputs()[form_.logits].shape;
  return logits.empty() ? 1 : std::max(logits.back(), 0);
}

Status Decoder::make_tensors() {
  const auto& inputs = executable_->inputs();
  const auto& outputs = executable_->outputs();
  capacity_ = std::numeric_limits<int64_t>::max();
  is_in_place_ = true;
  for (const DecoderForm::State& state : form_.states) {
    const import::Tensor &before = inputs[state.input], &after = outputs[state.output];
    const auto open = std::ranges::count_if(before.shape, [](int32_t size) { return size < 0; });
    if (open > 1)
      return unfit(cat("Several dimensions of ", before.name, " ", to_string(before.shape), " are open."));
    if (open == 0 && before.shape != after.shape)
      return unfit(cat(before.name, " and ", after.name, " have different shapes, ", to_string(before.shape),
                       " and ", to_string(after.shape), "."));
    if (open > 0) grows_ = true;
    if (open == 0 && before.shape.size() > 1)
      capacity_ = std::min<int64_t>(capacity_, before.shape[position_axis(before.shape)]);
    is_in_place_ = is_in_place_ && open == 0 && may_share_memory(executor_.get(), state.input, state.output);
  }
  // States of fixed size beside others that grow, or that a mask counts, need not be of positions.
  if (grows_) capacity_ = std::numeric_limits<int64_t>::max();
  inputs_.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const import::Tensor& input = inputs[i];
    if (form_.roles[i] == Role::mask && !is_dynamic(input.shape)) capacity_ = input.shape.back();
    if (form_.roles[i] == Role::tokens && !is_dynamic(input.shape) && !is_number(input))
      return unfit(cat(input.name, " takes ", to_string(input.shape), " tokens at once: leave it open."));
    if (form_.roles[i] == Role::tokens && is_dynamic(input.shape)) most_tokens_ = kMostTokens;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_mask = form_.roles[i] == Role::mask;
    if (form_.roles[i] == Role::state || (is_mask && grows_)) continue;
    NNRT_ASSIGN(inputs_[i], make_tensor(executable_->device(), inputs[i], is_mask ? capacity_ : kMostTokens));
  }
  outputs_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (std::ranges::count(form_.states, i, &DecoderForm::State::output) > 0) continue;
    NNRT_ASSIGN(outputs_[i], make_tensor(executable_->device(), outputs[i], 1));
    if (is_dynamic(outputs[i].shape)) NNRT_TRY(grow_in_runs(outputs_[i].get()));
  }
  return grows_ ? reserve(kMostTokens) : make_states(0);
}

Status Decoder::make_states(int64_t positions) {
  for (Tensors& tensors : std::span(states_).first(is_in_place_ ? 1 : 2)) {
    tensors.clear();
    for (const DecoderForm::State& state : form_.states) {
      NNRT_ASSIGN(auto tensor, make_tensor(executable_->device(), input_of(state), positions));
      if (is_dynamic(input_of(state).shape))
        NNRT_TRY(set_shape(tensor.get(), with_length(input_of(state).shape, 0)));
      tensors.push_back(std::move(tensor));
    }
  }
  for (Tensors& tensors : states_)
    for (const import::TensorHandle& tensor : tensors) NNRT_TRY(keep_on_device(tensor.get()));
  room_ = positions;
  return {};
}

Status Decoder::reserve(int64_t positions) {
  if (!grows_ || positions <= room_) return {};
  Tensors before = std::move(states_[now_]);
  NNRT_TRY(make_states(positions));
  for (size_t i = 0; i < before.size(); ++i) {
    NNRT_TRY(synchronize(before[i].get(), OH_NNRT_SYNC_TO_HOST));
    const Shape shape = shape_of(before[i].get());
    if (std::ranges::count(shape, 0) > 0) continue;
    NNRT_ASSIGN(const size_t bytes, import::byte_count(input_of(form_.states[i]).type, shape));
    NN_Tensor* const tensor = states_[now_][i].get();
    std::memcpy(OH_NNTensor_GetDataBuffer(tensor), OH_NNTensor_GetDataBuffer(before[i].get()), bytes);
    NNRT_TRY(set_shape(tensor, shape));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (form_.roles[i] != Role::mask) continue;
    NNRT_ASSIGN(inputs_[i], make_tensor(executable_->device(), executable_->inputs()[i], positions));
  }
  return {};
}

Status Decoder::reset() {
  if (std::exchange(position_, 0) == 0) return {};
  for (size_t i = 0; i < form_.states.size(); ++i) {
    const Shape& shape = input_of(form_.states[i]).shape;
    NN_Tensor* const tensor = states_[now_][i].get();
    if (is_dynamic(shape)) {
      NNRT_TRY(set_shape(tensor, with_length(shape, 0)));
      continue;
    }
    NNRT_ASSIGN(const size_t bytes, import::byte_count(input_of(form_.states[i]).type, shape));
    std::memset(OH_NNTensor_GetDataBuffer(tensor), 0, bytes);
    NNRT_TRY(synchronize(tensor, OH_NNRT_SYNC_FROM_HOST));
  }
  return {};
}

Status Decoder::restore(std::span<const Array> state, int64_t count) {
  if (state.size() != form_.states.size()) {
    return unfit(cat("It has ", counted(form_.states.size(), "tensor"), " of state, the prefill model ",
                     state.size(), "."));
  }
  for (size_t i = 0; i < state.size(); ++i) {
    const import::Tensor& declared = input_of(form_.states[i]);
    Shape expected = declared.shape;
    expected[position_axis(expected)] = static_cast<int32_t>(count);
    if (grows_ || state[i].shape != expected || state[i].type != declared.type || count > capacity_) {
      return unfit(cat(declared.name, " ", to_string(declared.shape), " does not take the prompt's ",
                       to_string(state[i].shape), "."));
    }
    NN_Tensor* const tensor = states_[now_][i].get();
    copy_positions(state[i], declared.shape, static_cast<std::byte*>(OH_NNTensor_GetDataBuffer(tensor)));
    NNRT_TRY(synchronize(tensor, OH_NNRT_SYNC_FROM_HOST));
  }
  position_ = count;
  return {};
}

namespace {

void set_number(void* to, OH_NN_DataType type, size_t index, int64_t value) {
  const size_t size = type == OH_NN_INT64 ? 8 : type == OH_NN_INT32 ? 4 : 1;
  std::memcpy(static_cast<std::byte*>(to) + index * size, &value, size);  // little-endian
}

}  // namespace

Status Decoder::fill(size_t input, std::span<const int64_t> tokens) {
  const import::Tensor& declared = executable_->inputs()[input];
  const auto count = static_cast<int64_t>(tokens.size()), filled = position_ + count;
  NN_Tensor* const tensor = inputs_[input].get();
  void* const to = OH_NNTensor_GetDataBuffer(tensor);
  const auto set = [&](int64_t index, int64_t value) {
    set_number(to, declared.type, static_cast<size_t>(index), value);
  };
  switch (form_.roles[input]) {
    case Role::tokens:
      for (int64_t i = 0; i < count; ++i) set(i, tokens[static_cast<size_t>(i)]);
      break;
    case Role::positions:
      for (int64_t i = 0; i < count; ++i) set(i, position_ + i);
      break;
    case Role::mask:
      for (int64_t i = 0; i < (is_dynamic(declared.shape) ? filled : declared.shape.back()); ++i)
        set(i, i < filled ? 1 : 0);
      break;
    case Role::filled: set(0, filled); break;
    case Role::last: set(0, filled - 1); break;
    case Role::past: set(0, position_); break;
    case Role::one: set(0, 1); break;
    case Role::state: break;
  }
  if (!is_dynamic(declared.shape)) return {};
  Shape shape = declared.shape;
  const bool is_mask = form_.roles[input] == Role::mask;
  if (shape.back() < 0) shape.back() = static_cast<int32_t>(is_mask ? filled : count);
  std::ranges::replace_if(
      shape, [](int32_t size) { return size < 0; }, 1);
  return set_shape(tensor, shape);
}

Status Decoder::run(std::span<const int64_t> tokens) {
  std::vector<NN_Tensor*> fed, made;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (form_.roles[i] != Role::state) NNRT_TRY(fill(i, tokens));
    fed.push_back(inputs_[i].get());
  }
  for (const import::TensorHandle& output : outputs_) made.push_back(output.get());
  const size_t next = is_in_place_ ? now_ : 1 - now_;
  for (size_t i = 0; i < form_.states.size(); ++i) {
    fed[form_.states[i].input] = states_[now_][i].get();
    made[form_.states[i].output] = states_[next][i].get();
  }
  NNRT_TRY(check(OH_NNExecutor_RunSync(executor_.get(), fed.data(), fed.size(), made.data(), made.size()),
                 "OH_NNExecutor_RunSync"));
  now_ = next;
  position_ += static_cast<int64_t>(tokens.size());
  return {};
}

Result<std::span<const float>> Decoder::read(std::span<const int64_t> tokens) {
  const auto count = static_cast<int64_t>(tokens.size());
  if (count > capacity_ - position_)
    return invalid("Position (", position_ + count - 1, ") is outside [0, ", capacity_, ").");
  if (position_ + count > room_) NNRT_TRY(reserve(std::max(position_ + count, 2 * room_)));
  while (!tokens.empty()) {
    // GPUs leave runs with empty states to the CPU.
    const bool is_slow = grows_ && position_ == 0 && executable_->device().type != OH_NN_CPU;
    const size_t part = is_slow ? 1 : std::min(tokens.size(), most_tokens_);
    NNRT_TRY(run(tokens.first(part)));
    tokens = tokens.subspan(part);
  }
  NN_Tensor* const logits = outputs_[form_.logits].get();
  NNRT_ASSIGN(logits_, last_logits(executable_->outputs()[form_.logits].type, shape_of(logits),
                                   OH_NNTensor_GetDataBuffer(logits)));
  return std::span<const float>(logits_);
}

Result<std::vector<float>> last_logits(OH_NN_DataType type, const Shape& shape, const void* logits) {
  size_t count = 1;
  for (const int32_t size : shape) count *= static_cast<size_t>(size);
  if (shape.empty() || count == 0) return unfit("It has no logits.");
  const auto width = static_cast<size_t>(shape.back());
  std::vector<float> row(width);
  if (type == OH_NN_FLOAT32) {
    std::memcpy(row.data(), static_cast<const float*>(logits) + count - width, width * sizeof(float));
  } else if (type == OH_NN_FLOAT16) {
    const Half* const halves = static_cast<const Half*>(logits) + count - width;
    std::transform(halves, halves + width, row.begin(), [](Half half) { return to_float(half); });
  } else {
    return unfit("Its logits are neither FLOAT32 nor FLOAT16.");
  }
  return row;
}

}  // namespace nnrt::tool
