#include "tools/plugins/onnxruntime/run/compiled_group.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/import/model_builder.h"
#include "tools/import/network/network_check.h"
#include "tools/plugins/base/api_call.h"
#include "tools/plugins/base/program.h"
#include "tools/plugins/onnxruntime/run/shared_buffers.h"

#include <cstring>
#include <limits>
#include <utility>

namespace nnrt::ep {

// One run at a time of a compiled group.
class CompiledGroup::Runner {
 public:
  static Result<std::unique_ptr<Runner>> create(const plugins::CompiledNetwork& model);
  explicit Runner(plugins::Program program);

  Status run(std::span<const HostTensor> inputs, const Output& output);
  // In the last run.
  size_t copied_bytes() const { return copied_bytes_; }

 private:
  // The framework's memory that a tensor of the program is bound to.
  struct TensorBinding {
    const void* memory = nullptr;  // null: none, the run copies
    size_t bytes = 0;
    uint64_t buffer = 0;  // id of the shared buffer, because addresses are reused
    import::Shape shape;

    bool overlaps(const TensorBinding& other) const;
  };

  Status bind_input(size_t i, const HostTensor& host);
  Status copy_input(size_t i, const HostTensor& host, const import::Shape& shape);
  // Returns the framework's memory. Null: the shape is only known after the run.
  Result<void*> bind_output(size_t i, const Output& output);
  // Returns whether the memory is in a shared buffer. Calls `bind` with its tensor unless that is bound.
  template <typename Bind>
  Result<bool> share(TensorBinding& bound, const import::Tensor& declared, const import::Shape& shape,
                     const void* memory, const Bind& bind) const;
  // Handles an output whose memory overlaps inputs: in place where the model allows it, else the inputs are
  // copied first.
  Status separate(size_t output, std::span<const HostTensor> inputs);
  void copy(void* to, const void* from, size_t bytes);
  Status read_output(size_t i, void* memory, const Output& output);

  plugins::Program program_;
  std::vector<TensorBinding> inputs_, outputs_;
  size_t copied_bytes_ = 0;
};

namespace {

std::string to_text(const Dimensions& shape) {
  std::string text = "[";
  for (const int64_t length : shape) text += (text.size() == 1 ? "" : ", ") + std::to_string(length);
  return text + "]";
}

Dimensions dimensions_of(const import::Shape& shape) { return {shape.begin(), shape.end()}; }

// Fails unless the model takes the shape.
Result<import::Shape> checked_shape(size_t index, const import::Shape& declared, const Dimensions& given) {
  bool fits = declared.size() == given.size();
  for (size_t d = 0; fits && d < given.size(); ++d) {
    fits = given[d] >= 0 && given[d] <= std::numeric_limits<int32_t>::max() &&
           (declared[d] == -1 || declared[d] == given[d]);
  }
  if (fits) return import::Shape(given.begin(), given.end());
  return invalid("The shape ", to_text(given), " of input ", index, " is not ",
                 to_text(dimensions_of(declared)), ", as the model declares (-1: any length).");
}

Result<plugins::SharedTensor> tensor_in(const SharedBuffers::Place& place, size_t device,
                                        const import::Tensor& declared, const import::Shape& shape,
                                        size_t bytes) {
  import::Tensor tensor = declared;
  tensor.shape = shape;
  NNRT_ASSIGN(const auto description, import::make_description(tensor));
  NNRT_ASSIGN(auto made,
              plugins::own<import::TensorHandle>(OH_NNTensor_CreateWithFd(device, description.get(), place.fd,
                                                                          place.offset + bytes, place.offset),
                                                 "OH_NNTensor_CreateWithFd"));
  return plugins::SharedTensor(std::move(made));
}

}  // namespace

Result<std::unique_ptr<CompiledGroup::Runner>> CompiledGroup::Runner::create(
    const plugins::CompiledNetwork& model) {
  NNRT_ASSIGN(plugins::Program program, plugins::Program::create(model));
  return std::make_unique<Runner>(std::move(program));
}

CompiledGroup::Runner::Runner(plugins::Program program)
    : program_(std::move(program)), inputs_(program_.inputs().size()), outputs_(program_.outputs().size()) {}

bool CompiledGroup::Runner::TensorBinding::overlaps(const TensorBinding& other) const {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const auto of_other = reinterpret_cast<uintptr_t>(other.memory);
  return memory != nullptr && other.memory != nullptr && begin < of_other + other.bytes &&
         of_other < begin + bytes;
}

template <typename Bind>
Result<bool> CompiledGroup::Runner::share(TensorBinding& bound, const import::Tensor& declared,
                                          const import::Shape& shape, const void* memory,
                                          const Bind& bind) const {
  NNRT_ASSIGN(const size_t bytes, import::byte_count(declared.type, shape));
  const auto place = bytes > 0 ? SharedBuffers::instance().find(memory, bytes) : std::nullopt;
  if (!place) {
    if (bound.memory != nullptr) bind(plugins::SharedTensor());
    bound.memory = nullptr;
    return false;
  }
  if (bound.memory == memory && bound.buffer == place->buffer && bound.shape == shape) return true;
  NNRT_ASSIGN(auto tensor, tensor_in(*place, program_.device(), declared, shape, bytes));
  bind(std::move(tensor));
  bound = {memory, bytes, place->buffer, shape};
  return true;
}

Status CompiledGroup::Runner::bind_input(size_t i, const HostTensor& host) {
  const import::Tensor& declared = program_.inputs()[i];
  NNRT_ASSIGN(const import::Shape shape, checked_shape(i, declared.shape, host.shape));
  const auto bind = [&](plugins::SharedTensor tensor) { program_.bind_input(i, std::move(tensor), shape); };
  NNRT_ASSIGN(const bool is_shared, share(inputs_[i], declared, shape, host.data, bind));
  return is_shared ? Status() : copy_input(i, host, shape);
}

Status CompiledGroup::Runner::copy_input(size_t i, const HostTensor& host, const import::Shape& shape) {
  NNRT_ASSIGN(const size_t bytes, import::byte_count(program_.inputs()[i].type, shape));
  NNRT_ASSIGN(NN_Tensor* const tensor, program_.input(i, shape));
  copy(OH_NNTensor_GetDataBuffer(tensor), host.data, bytes);
  return {};
}

Status CompiledGroup::Runner::separate(size_t output, std::span<const HostTensor> inputs) {
  const TensorBinding& written = outputs_[output];
  for (size_t i = 0; i < inputs_.size(); ++i) {
    TensorBinding& input = inputs_[i];
    if (!input.overlaps(written)) continue;
    // One tensor for both, so dtype and shape must be equal, too.
    if (input.memory == written.memory && input.shape == written.shape &&
        program_.inputs()[i].type == program_.outputs()[output].type) {
      NNRT_ASSIGN(const bool may_share, program_.may_share(i, output));
      if (may_share) {
        program_.bind_output(output, program_.bound_input(i));
        continue;
      }
    }
    const import::Shape shape = std::exchange(input, {}).shape;
    program_.bind_input(i, nullptr, {});
    NNRT_TRY(copy_input(i, inputs[i], shape));
  }
  return {};
}

Result<void*> CompiledGroup::Runner::bind_output(size_t i, const Output& output) {
  const import::Tensor& declared = program_.outputs()[i];
  if (plugins::is_dynamic(declared.shape)) return nullptr;
  NNRT_ASSIGN(void* const memory, output(i, dimensions_of(declared.shape)));
  const auto bind = [&](plugins::SharedTensor tensor) { program_.bind_output(i, std::move(tensor)); };
  NNRT_TRY(share(outputs_[i], declared, declared.shape, memory, bind));
  return memory;
}

void CompiledGroup::Runner::copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  copied_bytes_ += bytes;
}

Status CompiledGroup::Runner::read_output(size_t i, void* memory, const Output& output) {
  if (outputs_[i].memory != nullptr) return {};
  NNRT_ASSIGN(const import::Shape shape, program_.output_shape(i));
  if (plugins::is_dynamic(program_.outputs()[i].shape)) {
    NNRT_ASSIGN(memory, output(i, dimensions_of(shape)));
  }
  NNRT_ASSIGN(const size_t bytes, import::byte_count(program_.outputs()[i].type, shape));
  NNRT_ASSIGN(NN_Tensor* const tensor, program_.output(i));
  copy(memory, OH_NNTensor_GetDataBuffer(tensor), bytes);
  return {};
}

Status CompiledGroup::Runner::run(std::span<const HostTensor> inputs, const Output& output) {
  if (inputs.size() != inputs_.size())
    return invalid("The model has ", counted(inputs_.size(), "input"), ", not ", inputs.size(), ".");
  copied_bytes_ = 0;
  for (size_t i = 0; i < inputs.size(); ++i) NNRT_TRY(bind_input(i, inputs[i]));
  std::vector<void*> memory(outputs_.size());
  for (size_t i = 0; i < memory.size(); ++i) {
    NNRT_ASSIGN(memory[i], bind_output(i, output));
    NNRT_TRY(separate(i, inputs));
  }
  NNRT_TRY(program_.run());
  for (size_t i = 0; i < memory.size(); ++i) NNRT_TRY(read_output(i, memory[i], output));
  return {};
}

CompiledGroup::CompiledGroup(plugins::CompiledNetwork model) : model_(std::move(model)) {}
CompiledGroup::~CompiledGroup() = default;

Result<std::shared_ptr<CompiledGroup>> CompiledGroup::create(plugins::CompiledNetwork model) {
  std::shared_ptr<CompiledGroup> made(new CompiledGroup(std::move(model)));
  NNRT_ASSIGN(auto runner, Runner::create(made->model_));
  made->idle_.push_back(std::move(runner));
  return made;
}

Result<std::unique_ptr<CompiledGroup::Runner>> CompiledGroup::take_runner() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto runner = std::move(idle_.back());
      idle_.pop_back();
      return runner;
    }
  }
  return Runner::create(model_);
}

Status CompiledGroup::run(std::span<const HostTensor> inputs, const Output& output) {
  NNRT_ASSIGN(auto runner, take_runner());
  NNRT_TRY(runner->run(inputs, output));  // a runner whose run failed is not used again
  ++runs_;
  copied_bytes_ += runner->copied_bytes();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(runner));
  return {};
}

}  // namespace nnrt::ep
