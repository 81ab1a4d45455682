#include "tests/fuzz/nnapi_calls/call_state.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace nnapi_calls {

size_t Choices::below(size_t bound) {
  if (bytes_.empty()) return 0;
  const size_t chosen = bytes_.front() % bound;
  bytes_ = bytes_.subspan(1);
  return chosen;
}

CallState::CallState(std::span<const uint8_t> bytes) : choices(bytes) {
  for (size_t i = 0; i < scratch_.size(); ++i) {
    constexpr std::array<int64_t, 8> kValues{0, 1, 2, 3, 4, -1, 8, 77};
    scratch_[i] = i < 16 ? kValues[choices.below(8)] : scratch_[i % 16];
  }
  file = memfd_create("nnapi_calls", MFD_CLOEXEC);
  static_cast<void>(!ftruncate(file, 64));
  fence = eventfd(1, EFD_CLOEXEC);
  begin_with_add(choices.below(4));
  if (const size_t start = choices.below(3); start != 0) begin_model(start == 1);
}

CallState::~CallState() {
  events.clear();
  executions.clear();
  close(file);
  close(fence);
}

// Without a valid start, sequences would rarely run anything.
void CallState::begin_with_add(size_t how_far) {
  if (how_far == 0) return;
  const uint32_t dimension = how_far == 3 ? 0 : 2, inputs[] = {0, 1, 2}, output = 3;
  const ANeuralNetworksOperandType vector{ANEURALNETWORKS_TENSOR_FLOAT32, 1, &dimension, 0, 0};
  const ANeuralNetworksOperandType scalar{ANEURALNETWORKS_INT32, 0, nullptr, 0, 0};
  ANeuralNetworksModel* model = nullptr;
  ANeuralNetworksModel_create(&model);
  models.emplace_back(model);
  for (const auto* type : {&vector, &vector, &scalar, &vector}) ANeuralNetworksModel_addOperand(model, type);
  ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &output);
  ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, inputs, 1, &output);
  ANeuralNetworksModel_finish(model);
  ANeuralNetworksCompilation* compilation = nullptr;
  uint32_t count = 1;
  if (how_far == 2 && devices(count) != nullptr && count == 1) {
    ANeuralNetworksCompilation_createForDevices(model, devices_.data(), 1, &compilation);
  } else {
    ANeuralNetworksCompilation_create(model, &compilation);
  }
  if (compilation == nullptr) return;
  compilations.emplace_back(compilation);
  if (choices.below(4) == 0) return;
  ANeuralNetworksCompilation_finish(compilation);
  ANeuralNetworksExecution* execution = nullptr;
  ANeuralNetworksExecution_create(compilation, &execution);
  if (execution != nullptr) executions.emplace_back(execution);
}

// A model ready to be finished, or one with operands that need values of every kind.
void CallState::begin_model(bool is_complete) {
  const uint32_t dimension = 2, input = 0, output = 1;
  const ANeuralNetworksOperandType vector{ANEURALNETWORKS_TENSOR_FLOAT32, 1, &dimension, 0, 0};
  const ANeuralNetworksOperandType inner{ANEURALNETWORKS_MODEL, 0, nullptr, 0, 0};
  const ANeuralNetworksOperandType channels{ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, &dimension, 0,
                                            0};
  ANeuralNetworksModel* model = nullptr;
  ANeuralNetworksModel_create(&model);
  models.emplace_back(model);
  for (const auto* type : {&vector, &vector}) ANeuralNetworksModel_addOperand(model, type);
  if (is_complete) {
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ABS, 1, &input, 1, &output);
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1, &output);
  } else {
    for (const auto* type : {&inner, &channels}) ANeuralNetworksModel_addOperand(model, type);
  }
}

int32_t CallState::index() {
  return std::array<int32_t, 16>{
      0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6, -1, 999, INT32_MIN}[choices.below(16)];
}

size_t CallState::length() { return std::array<size_t, 8>{8, 8, 4, 0, 16, 20, 64, 256}[choices.below(8)]; }

void* CallState::new_buffer(size_t bytes) {
  if (choices.rarely()) return nullptr;
  return buffers_.emplace_back(std::make_unique<std::byte[]>(bytes + 1)).get();
}

void CallState::settle() {
  for (const auto& event : events) static_cast<void>(ANeuralNetworksEvent_wait(event.get()));
}

uint64_t CallState::duration() {
  return std::array<uint64_t, 4>{0, 1, 1'000'000'000, UINT64_MAX}[choices.below(4)];
}

const ANeuralNetworksOperandType* CallState::type() {
  if (choices.rarely()) return nullptr;
  constexpr std::array<int32_t, 8> kUsual{ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32,
                                          ANEURALNETWORKS_INT32,          ANEURALNETWORKS_TENSOR_INT32,
                                          ANEURALNETWORKS_TENSOR_FLOAT16, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                          ANEURALNETWORKS_TENSOR_BOOL8,   ANEURALNETWORKS_BOOL};
  const auto any = [this] {
    const auto drawn = static_cast<int32_t>(choices.below(20)) - 1;
    return drawn > 16 ? ANEURALNETWORKS_OEM_SCALAR + drawn - 17 : drawn;
  };
  type_.type = choices.rarely() ? any() : kUsual[choices.below(8)];
  const bool is_scalar = type_.type == ANEURALNETWORKS_INT32 || type_.type == ANEURALNETWORKS_BOOL;
  type_.dimensionCount = is_scalar ? 0 : static_cast<uint32_t>(choices.below(5));
  for (uint32_t& dimension : type_dimensions_)
    dimension = std::array<uint32_t, 8>{2, 2, 2, 1, 3, 0, 65536, 7}[choices.below(8)];
  type_.dimensions = type_.dimensionCount == 0 ? nullptr : type_dimensions_.data();
  if (choices.rarely()) type_.dimensions = type_.dimensions == nullptr ? type_dimensions_.data() : nullptr;
  const bool is_quantized = type_.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  type_.scale = is_quantized != choices.rarely() ? 0.5f : 0;
  type_.zeroPoint = is_quantized ? static_cast<int32_t>(choices.below(256)) : 0;
  return &type_;
}

const ANeuralNetworksDevice* const* CallState::devices(uint32_t& count) {
  uint32_t there = 0;
  ANeuralNetworks_getDeviceCount(&there);
  count = choices.rarely() ? static_cast<uint32_t>(choices.below(4)) : 1;
  if (there == 0) return nullptr;
  for (const ANeuralNetworksDevice*& device : devices_) {
    ANeuralNetworksDevice* found = nullptr;
    ANeuralNetworks_getDevice(static_cast<uint32_t>(choices.below(there)), &found);
    device = choices.rarely() ? nullptr : found;
  }
  return choices.rarely() ? nullptr : devices_.data();
}

const uint32_t* CallState::indices(uint32_t& count) {
  auto& list = lists_[next_list_++ % lists_.size()];
  count = std::array<uint32_t, 8>{1, 1, 1, 2, 3, 0, 4, 5}[choices.below(8)];
  for (uint32_t i = 0; i < count; ++i)
    list[i] = static_cast<uint32_t>(choices.rarely() ? 1000 : choices.below(4));
  return choices.rarely() ? nullptr : list.data();
}

const char* run_calls(std::span<const uint8_t> bytes, size_t limit, std::vector<int>* successes) {
  CallState state(bytes);
  const std::span<const Step> all = steps();
  for (size_t call = 0; call < limit && !state.choices.ended(); ++call) {
    const size_t position = state.choices.below(all.size());
    const int code = all[position].call(state);
    if (code < 0 || code > 14 || (all[position].results >> code & 1) == 0) return all[position].function;
    if (code == ANEURALNETWORKS_NO_ERROR && successes != nullptr) ++(*successes)[position];
  }
  return nullptr;
}

}  // namespace nnapi_calls
