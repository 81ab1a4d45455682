#include "tools/plugins/tflite/host/tflite_delegate.h"

#include "core/base/counted.h"
#include "core/platform/log.h"
#include "tools/import/network/network_check.h"
#include "tools/plugins/base/api_call.h"
#include "tools/plugins/base/supported_operations.h"
#include "tools/plugins/tflite/host/guarded.h"
#include "tools/plugins/tflite/host/host_reader.h"
#include "tools/plugins/tflite/host/int_array.h"
#include "tools/plugins/tflite/plan_report.h"

#include <tensorflow/lite/core/api/profiler.h>
#include <tensorflow/lite/core/c/common.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

namespace nnrt::tflite_plugin {
namespace {

// Lasts from construction to destruction; does nothing without a profiler. Calls go through the profiler's
// vtable, so the plugin links none of the interpreter's symbols.
class ProfileEvent {
 public:
  // `tag`: a literal. `node`: the first of the partition's nodes, which tells partitions apart.
  ProfileEvent(const TfLiteContext* context, const char* tag, int32_t node)
      : profiler_(static_cast<tflite::Profiler*>(context->profiler)) {
    if (profiler_ != nullptr)
      handle_ =
          profiler_->BeginEvent(tag, tflite::Profiler::EventType::DELEGATE_OPERATOR_INVOKE_EVENT, node, 0);
  }
  ~ProfileEvent() {
    if (profiler_ != nullptr) profiler_->EndEvent(handle_);
  }
  ProfileEvent(const ProfileEvent&) = delete;
  ProfileEvent& operator=(const ProfileEvent&) = delete;

 private:
  tflite::Profiler* profiler_;
  uint32_t handle_ = 0;
};

// The interpreter's node that stands for a partition.
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
                                     counted(host.bytes, "byte") + ", but its shape needs " +
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
      return Error{Code::failed, "A state has " + counted(host.bytes, "byte") + ", but the result has " +
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

// Replaces the nodes by kernels of the delegate, one for each partition.
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

TfLiteStatus prepare_delegate(TfLiteContext* context, TfLiteDelegate* handle) {
  return guarded(context, [&] { return Delegate::of(handle).prepare(context); });
}

// The interpreter's numbers of nodes, by position in the graph.
std::vector<int32_t> numbers_of(const HostGraph& graph, const std::vector<size_t>& nodes) {
  std::vector<int32_t> numbers;
  for (const size_t node : nodes) numbers.push_back(graph.nodes[node].number);
  return numbers;
}

Section section_of(const HostGraph& graph, const TfLiteDelegateParams& params) {
  Section section;
  for (const int32_t number : values_of(*params.nodes_to_replace)) {
    const auto node = std::ranges::find(graph.nodes, number, &HostNode::number);
    section.nodes.push_back(static_cast<size_t>(node - graph.nodes.begin()));
  }
  section.inputs = values_of(*params.input_tensors);
  section.outputs = values_of(*params.output_tensors);
  std::erase_if(section.inputs, [](int32_t id) { return id < 0; });
  std::erase_if(section.outputs, [](int32_t id) { return id < 0; });
  return section;
}

Preview preview_of(TfLiteContext* context, const HostGraph& graph) {
  return [context, &graph](const std::vector<size_t>& nodes) -> Result<std::vector<Section>> {
    NNRT_ASSIGN(const IntArray numbers, make_int_array(numbers_of(graph, nodes)));
    TfLiteDelegateParams* partitions = nullptr;
    int count = 0;
    if (context->PreviewDelegatePartitioning(context, numbers.get(), &partitions, &count) != kTfLiteOk)
      return Error{Code::failed, "The interpreter cannot preview its partitions."};
    std::vector<Section> sections;
    for (int i = 0; i < count; ++i) sections.push_back(section_of(graph, partitions[i]));
    return sections;
  };
}

void publish(const DelegateOptions& options, const std::string& report) {
  if (options.report) {
    std::fputs(report.c_str(), stderr);
  } else {
    log(LogLevel::info, report);
  }
}

}  // namespace

Result<std::unique_ptr<Delegate>> Delegate::create(const DelegateOptions& options) {
  NNRT_ASSIGN(plugins::PluginDevice device, plugins::find_device(options.common.device));
  return std::unique_ptr<Delegate>(new Delegate(options, std::move(device)));
}

Delegate::Delegate(const DelegateOptions& options, plugins::PluginDevice device)
    : options_(options), device_(std::move(device)) {
  exported_.delegate.data_ = this;
  exported_.delegate.Prepare = prepare_delegate;
  exported_.delegate.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
}

Status Delegate::compile(const HostGraph& graph, std::vector<PlannedPartition> planned,
                         std::vector<std::unique_ptr<Partition>>& partitions) const {
  for (PlannedPartition& plan : planned) {
    partitions.push_back(std::make_unique<Partition>(std::move(plan), device_, options_.common));
    Partition& partition = *partitions.back();
    const bool is_open = std::ranges::any_of(
        partition.inputs(), [&](int32_t id) { return graph.tensors[static_cast<size_t>(id)].is_open; });
    if (!is_open) NNRT_TRY(partition.program_for(partition.planned_shapes()));
  }
  return {};
}

Status Delegate::prepare(TfLiteContext* context) {
  if (context->PreviewDelegatePartitioning == nullptr)
    return Error{Code::unsupported, "This version of TensorFlow Lite cannot preview partitions."};
  NNRT_ASSIGN(HostGraph graph, read_host(context));
  PlanOptions options{nullptr, options_.min_nodes};
  if (!plugins::has_fallback(options_.common))
    options.supports = [this](const import::Network& network) {
      return plugins::supported_operations(network, device_, options_.common);
    };
  NNRT_ASSIGN(std::vector<PlannedPartition> planned,
              plan_partitions(graph, preview_of(context, graph), options));
  publish(options_, plan_report(graph, planned.size(), device_.name));
  if (planned.empty()) return {};
  std::vector<std::unique_ptr<Partition>> partitions;
  NNRT_TRY(compile(graph, std::move(planned), partitions));
  for (const auto& partition : partitions)
    partition->set_numbers(numbers_of(graph, partition->section().nodes));
  {
    const std::lock_guard lock(mutex_);
    planned_[context] = std::move(partitions);
  }
  NNRT_ASSIGN(const IntArray nodes, make_int_array(numbers_of(graph, taken_nodes(graph))));
  const TfLiteStatus replaced = replace_nodes(context, *nodes, handle());
  const std::lock_guard lock(mutex_);
  planned_.erase(context);
  if (replaced == kTfLiteOk) return {};
  return Error{Code::failed, "The interpreter cannot replace the nodes."};
}

Result<std::unique_ptr<Partition>> Delegate::take(const TfLiteContext* context, const TfLiteIntArray& nodes) {
  const std::vector<int32_t> numbers = values_of(nodes);
  const std::lock_guard lock(mutex_);
  auto& partitions = planned_[context];
  const auto found =
      std::ranges::find_if(partitions, [&](const auto& it) { return it && it->numbers() == numbers; });
  if (found == partitions.end())
    return Error{Code::failed, "The interpreter formed a partition that differs from its preview."};
  return std::move(*found);
}

std::shared_ptr<TensorMemory> Delegate::memory_of(const TfLiteContext* context) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<TensorMemory>& known = memory_[context];
  std::shared_ptr<TensorMemory> memory = known.lock();
  if (!memory) known = memory = std::make_shared<TensorMemory>();
  return memory;
}

}  // namespace nnrt::tflite_plugin
