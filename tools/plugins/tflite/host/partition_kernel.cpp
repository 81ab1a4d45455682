#include "tools/plugins/tflite/host/partition_kernel.h"

#include "tools/import/network/network_check.h"
#include "tools/plugins/base/api_call.h"
#include "tools/plugins/tflite/host/guarded.h"
#include "tools/plugins/tflite/host/host_reader.h"
#include "tools/plugins/tflite/host/int_array.h"
#include "tools/plugins/tflite/host/profile_event.h"
#include "tools/plugins/tflite/host/tflite_delegate.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace nnrt::tflite_plugin {
namespace {

class Kernel {
 public:
  Kernel(std::unique_ptr<Partition> partition, std::shared_ptr<TensorMemory> memory, bool zero_copy)
      : partition_(std::move(partition)), memory_(std::move(memory)), zero_copy_(zero_copy) {}

  // Sets the sizes of the results, and compiles for other sizes of the inputs.
  Status prepare(TfLiteContext* context);
  Status invoke(TfLiteContext* context);
  // Returns all memory to the interpreter.
  void release(TfLiteContext* context);

 private:
  int32_t number() const { return partition_->numbers().front(); }
  bool knows_inputs(const TfLiteContext* context) const;
  std::vector<import::Shape> input_shapes(const TfLiteContext* context) const;
  Status prepare_output(TfLiteContext* context, size_t i);
  Result<plugins::SharedTensor> attach(TfLiteContext* context, int32_t id, const import::Tensor& declared,
                                       const import::Shape& shape);
  Status write_inputs(TfLiteContext* context);
  Status read_output(TfLiteContext* context, size_t i);
  Status read_states(TfLiteContext* context);

  std::unique_ptr<Partition> partition_;
  std::shared_ptr<TensorMemory> memory_;
  const bool zero_copy_;
  plugins::Program* program_ = nullptr;  // null: the next run chooses it
  std::vector<int32_t> attached_;        // tensors in shared memory
};

bool Kernel::knows_inputs(const TfLiteContext* context) const {
  return std::ranges::none_of(partition_->inputs(), [&](int32_t id) {
    return context->tensors[id].allocation_type == kTfLiteDynamic;
  });
}

std::vector<import::Shape> Kernel::input_shapes(const TfLiteContext* context) const {
  std::vector<import::Shape> shapes;
  for (const int32_t id : partition_->inputs()) shapes.push_back(shape_of(context->tensors[id]));
  return shapes;
}

void Kernel::release(TfLiteContext* context) {
  for (const int32_t id : attached_) memory_->detach(context, id);
  attached_.clear();
}

Result<plugins::SharedTensor> Kernel::attach(TfLiteContext* context, int32_t id,
                                             const import::Tensor& declared, const import::Shape& shape) {
  if (!zero_copy_) return plugins::SharedTensor();
  NNRT_ASSIGN(plugins::SharedTensor tensor,
              memory_->attach(context, id, partition_->device().id, declared, shape));
  if (tensor) attached_.push_back(id);
  return tensor;
}

void make_dynamic(TfLiteTensor& tensor) {
  if (tensor.allocation_type == kTfLiteDynamic) return;
  tensor.allocation_type = kTfLiteDynamic;
  tensor.data.raw = nullptr;
}

Status resize(TfLiteContext* context, TfLiteTensor& tensor, const import::Shape& shape) {
  NNRT_ASSIGN(IntArray dimensions, make_int_array(shape));
  if (context->ResizeTensor(context, &tensor, dimensions.release()) == kTfLiteOk) return {};
  return Error{Code::failed, std::string("The interpreter cannot resize ") +
                                 (tensor.name ? tensor.name : "a tensor") + "."};
}

Status Kernel::prepare_output(TfLiteContext* context, size_t i) {
  const int32_t id = partition_->outputs()[i];
  TfLiteTensor& tensor = context->tensors[id];
  if (program_ == nullptr || plugins::is_dynamic(program_->outputs()[i].shape)) make_dynamic(tensor);
  // It remains dynamic, since only the interpreter knows how to free its memory.
  if (tensor.allocation_type == kTfLiteDynamic) return {};
  const import::Tensor& declared = program_->outputs()[i];
  if (shape_of(tensor) != declared.shape) NNRT_TRY(resize(context, tensor, declared.shape));
  NNRT_ASSIGN(plugins::SharedTensor shared, attach(context, id, declared, declared.shape));
  program_->bind_output(i, std::move(shared));
  return {};
}

Status Kernel::prepare(TfLiteContext* context) {
  // Tensors that keep their size keep their memory: they are detached only after the new attach().
  const std::vector<int32_t> before = std::exchange(attached_, {});
  const auto work = [&]() -> Status {
    program_ = nullptr;
    if (knows_inputs(context)) {
      const std::vector<import::Shape> shapes = input_shapes(context);
      NNRT_ASSIGN(program_, partition_->program_for(shapes));
      for (size_t i = 0; i < shapes.size(); ++i) {
        NNRT_ASSIGN(plugins::SharedTensor shared,
                    attach(context, partition_->inputs()[i], program_->inputs()[i], shapes[i]));
        program_->bind_input(i, std::move(shared), shapes[i]);
      }
    }
    for (size_t i = 0; i < partition_->outputs().size(); ++i) NNRT_TRY(prepare_output(context, i));
    return {};
  };
  Status status = work();
  for (const int32_t id : before) memory_->detach(context, id);
  return status;
}

Status Kernel::write_inputs(TfLiteContext* context) {
  const ProfileEvent event(context, "NNRt inputs", number());
  for (size_t i = 0; i < partition_->inputs().size(); ++i) {
    const TfLiteTensor& host = context->tensors[partition_->inputs()[i]];
    NNRT_ASSIGN(NN_Tensor * tensor, program_->input(i, shape_of(host)));
    void* const memory = OH_NNTensor_GetDataBuffer(tensor);
    if (memory == host.data.data || host.bytes == 0) continue;
    size_t size = 0;
    NNRT_TRY(plugins::check(OH_NNTensor_GetSize(tensor, &size), "OH_NNTensor_GetSize"));
    if (host.data.data == nullptr || size != host.bytes)
      return Error{Code::failed, "Input " + program_->inputs()[i].name + " has " +
                                     std::to_string(host.bytes) + " bytes, but its shape needs " +
                                     std::to_string(size) + "."};
    std::memcpy(memory, host.data.data, size);
  }
  return {};
}

Status Kernel::read_output(TfLiteContext* context, size_t i) {
  TfLiteTensor& host = context->tensors[partition_->outputs()[i]];
  NNRT_ASSIGN(NN_Tensor * tensor, program_->output(i));
  const void* const memory = OH_NNTensor_GetDataBuffer(tensor);
  if (memory == host.data.data) return {};
  const import::Tensor& declared = program_->outputs()[i];
  import::Shape shape = declared.shape;
  if (host.allocation_type == kTfLiteDynamic) {
    if (plugins::is_dynamic(shape)) {
      NNRT_ASSIGN(shape, program_->output_shape(i));
    }
    NNRT_TRY(resize(context, host, shape));
  }
  NNRT_ASSIGN(const size_t size, import::byte_count(declared.type, shape));
  if (size != host.bytes || (size > 0 && host.data.data == nullptr))
    return Error{Code::failed, "Output " + declared.name + " has " + std::to_string(host.bytes) +
                                   " bytes, but the result has " + std::to_string(size) + "."};
  if (size > 0) std::memcpy(host.data.data, memory, size);
  return {};
}

Status Kernel::read_states(TfLiteContext* context) {
  for (size_t i = 0; i < partition_->states().size(); ++i) {
    const TfLiteTensor& host = context->tensors[partition_->states()[i]];
    NNRT_ASSIGN(NN_Tensor * tensor, program_->output(partition_->outputs().size() + i));
    size_t size = 0;
    NNRT_TRY(plugins::check(OH_NNTensor_GetSize(tensor, &size), "OH_NNTensor_GetSize"));
    if (host.data.data == nullptr || host.bytes != size)
      return Error{Code::failed, "A state has " + std::to_string(host.bytes) + " bytes, but the result has " +
                                     std::to_string(size) + "."};
    std::memcpy(host.data.data, OH_NNTensor_GetDataBuffer(tensor), size);
  }
  return {};
}

Status Kernel::invoke(TfLiteContext* context) {
  if (!knows_inputs(context) || program_ == nullptr) {
    NNRT_ASSIGN(program_, partition_->program_for(input_shapes(context)));
  }
  NNRT_TRY(write_inputs(context));
  {
    const ProfileEvent event(context, "NNRt run", number());
    NNRT_TRY(program_->run());
  }
  const ProfileEvent event(context, "NNRt outputs", number());
  for (size_t i = 0; i < partition_->outputs().size(); ++i) NNRT_TRY(read_output(context, i));
  return read_states(context);
}

void* init_kernel(TfLiteContext* context, const char* buffer, size_t) {
  Kernel* kernel = nullptr;
  static_cast<void>(guarded(context, [&]() -> Status {
    const auto& params = *reinterpret_cast<const TfLiteDelegateParams*>(buffer);
    Delegate& delegate = Delegate::of(params.delegate);
    NNRT_ASSIGN(std::unique_ptr<Partition> partition, delegate.take(context, *params.nodes_to_replace));
    kernel = new Kernel(std::move(partition), delegate.memory_of(context), delegate.options().zero_copy);
    return {};
  }));
  return kernel;
}

void free_kernel(TfLiteContext* context, void* data) {
  auto* kernel = static_cast<Kernel*>(data);
  if (kernel != nullptr) kernel->release(context);
  delete kernel;
}

template <Status (Kernel::*step)(TfLiteContext*)>
TfLiteStatus call_kernel(TfLiteContext* context, TfLiteNode* node) {
  auto* kernel = static_cast<Kernel*>(node->user_data);
  if (kernel == nullptr) return kTfLiteError;  // init_kernel() has reported why
  return guarded(context, [&] { return (kernel->*step)(context); });
}

// Passed by value: interpreters of later versions read more members than this version has.
struct PaddedRegistration {
  TfLiteRegistration registration;
  void* later[16];
};

}  // namespace

TfLiteStatus replace_nodes(TfLiteContext* context, const TfLiteIntArray& nodes, TfLiteDelegate* delegate) {
  PaddedRegistration padded{};
  TfLiteRegistration& it = padded.registration;
  it.init = init_kernel;
  it.free = free_kernel;
  it.prepare = call_kernel<&Kernel::prepare>;
  it.invoke = call_kernel<&Kernel::invoke>;
  it.builtin_code = static_cast<int32_t>(format::BuiltinOperator::DELEGATE);
  it.custom_name = "NNRt";
  it.version = 1;
  using Replace =
      TfLiteStatus (*)(TfLiteContext*, PaddedRegistration, const TfLiteIntArray*, TfLiteDelegate*);
  const auto replace = std::bit_cast<Replace>(context->ReplaceNodeSubsetsWithDelegateKernels);
  return replace(context, padded, &nodes, delegate);
}

}  // namespace nnrt::tflite_plugin
