#include "tools/nnrt/session/executable.h"

#include "tools/import/model_builder.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/output.h"
#include "tools/nnrt/base/progress.h"
#include "tools/nnrt/session/cached_model.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace nnrt::tool {
namespace {

constexpr size_t kRoom = size_t{1} << 22;  // initial bytes for outputs of unknown size

using MakeDesc = NN_TensorDesc* (*)(const OH_NNExecutor*, size_t);

Result<import::Tensor> read_desc(const NN_TensorDesc* desc) {
  import::Tensor tensor;
  const char* name = nullptr;
  int32_t* shape = nullptr;
  size_t rank = 0;
  NNRT_TRY(check(OH_NNTensorDesc_GetName(desc, &name), "OH_NNTensorDesc_GetName"));
  NNRT_TRY(check(OH_NNTensorDesc_GetDataType(desc, &tensor.type), "OH_NNTensorDesc_GetDataType"));
  NNRT_TRY(check(OH_NNTensorDesc_GetFormat(desc, &tensor.format), "OH_NNTensorDesc_GetFormat"));
  NNRT_TRY(check(OH_NNTensorDesc_GetShape(desc, &shape, &rank), "OH_NNTensorDesc_GetShape"));
  tensor.name = name;
  tensor.shape.assign(shape, shape + rank);
  return tensor;
}

Result<std::vector<import::Tensor>> read_descs(const OH_NNExecutor* executor, size_t count, MakeDesc make) {
  std::vector<import::Tensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    NNRT_ASSIGN(const auto desc, own<import::TensorDescHandle>(make(executor, i), "The executor"));
    NNRT_ASSIGN(import::Tensor tensor, read_desc(desc.get()));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// Adds the quantization and the file's names, which the API does not report.
Status add_from_file(std::vector<import::Tensor>& tensors, const std::vector<import::Tensor>& described,
                     const ModelFile& model) {
  if (tensors.size() != described.size())
    return Error{Code::invalid_file,
                 cat("The description in ", model.path.string(), " belongs to another model.")};
  for (size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].quantization = described[i].quantization;
    if (!described[i].name.empty()) tensors[i].name = described[i].name;
  }
  return {};
}

// A network may have other outputs than its file.
auto description_for(const ModelFile& model) {
  return model.network ? import::description_of(*model.network, {}) : model.description;
}

Status extend(OH_NNCompilation* compilation, const char* name, std::string_view value) {
  if (value.empty()) return {};
  return check(OH_NNCompilation_AddExtensionConfig(compilation, name, value.data(), value.size()),
               "OH_NNCompilation_AddExtensionConfig");
}

// Returns whether the directory is there. One that may not be created only makes later starts slower.
Result<bool> make_cache_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return true;
  const std::string sentence = cat("Directory (", directory, ") cannot be created: ", error.message(), ".");
  if (error == std::errc::not_a_directory) return Error{Code::invalid_path, sentence};
  static std::atomic_flag warned;
  if (!warned.test_and_set()) tell(sentence + " The model is not cached.");
  return false;
}

Status set_cache(OH_NNCompilation* compilation, const ModelFile& model, const Device& device,
                 const std::string& directory) {
  if (directory.empty()) return {};
  NNRT_ASSIGN(const bool is_there, make_cache_directory(directory));
  if (!is_there) return {};
  NNRT_TRY(extend(compilation, "nnrt.cache", "optional"));
  NNRT_TRY(check(OH_NNCompilation_SetCache(compilation, directory.c_str(), 1), "OH_NNCompilation_SetCache"));
  NNRT_TRY(extend(compilation, "ModelName", cache_name(model.path, device)));
  return model.cache_note.empty() ? Status() : set_note(compilation, model.cache_note);
}

Status configure(OH_NNCompilation* compilation, const ModelFile& model, const Device& device,
                 const BuildOptions& options) {
  NNRT_TRY(check(OH_NNCompilation_SetDevice(compilation, device.id), "OH_NNCompilation_SetDevice"));
  if (options.float16) {
    NNRT_TRY(check(OH_NNCompilation_EnableFloat16(compilation, true), "OH_NNCompilation_EnableFloat16"));
  }
  NNRT_TRY(set_cache(compilation, model, device, options.cache));
  NNRT_TRY(extend(compilation, "nnrt.fallback", options.fallback ? "" : "off"));
  NNRT_TRY(extend(compilation, "nnrt.export", options.exports ? "" : "off"));
  NNRT_TRY(extend(compilation, "nnrt.placement", options.placement));
  NNRT_TRY(extend(compilation, "nnrt.device_local", options.device_local));
  return extend(compilation, "nnrt.trace", options.trace);
}

Result<import::CompilationHandle> make_compilation(const ModelFile& model) {
  if (model.is_cached()) {
    return own<import::CompilationHandle>(OH_NNCompilation_ConstructForCache(),
                                          "OH_NNCompilation_ConstructForCache");
  }
  if (!model.network) {
    return own<import::CompilationHandle>(OH_NNCompilation_ConstructWithOfflineModelFile(model.path.c_str()),
                                          "OH_NNCompilation_ConstructWithOfflineModelFile");
  }
  auto made = import::make_model(*model.network);
  if (!made.ok()) return import::of_file(std::move(made).error());
  return own<import::CompilationHandle>(OH_NNCompilation_Construct(made.value().get()),
                                        "OH_NNCompilation_Construct");
}

// Returns the build time in milliseconds.
Result<double> build_timed(OH_NNCompilation* compilation, const ModelFile& model, const Device& device) {
  const Progress progress("building for " + device.name);
  const Stopwatch stopwatch;
  Status built = check(OH_NNCompilation_Build(compilation), "OH_NNCompilation_Build");
  const double ms = stopwatch.ms();
  if (!built.ok() && model.network) return import::explain(std::move(built).error(), *model.network);
  if (!built.ok()) return std::move(built).error().during("loading " + model.path.string());
  return ms;
}

Result<import::TensorHandle> make_tensor(const Device& device, const import::Tensor& declared,
                                         const Shape& shape, size_t size) {
  import::Tensor described = declared;
  described.shape = shape;
  NNRT_ASSIGN(const auto desc, import::make_description(described));
  return own<import::TensorHandle>(
      OH_NNTensor_CreateWithSize(device.id, desc.get(), std::max<size_t>(size, 1)),
      cat("OH_NNTensor_CreateWithSize of ", declared.name));
}

std::vector<NN_Tensor*> pointers(const std::vector<import::TensorHandle>& tensors) {
  std::vector<NN_Tensor*> result;
  result.reserve(tensors.size());
  for (const import::TensorHandle& tensor : tensors) result.push_back(tensor.get());
  return result;
}

// Signals the end of an asynchronous run; passed to the callback by address.
struct Completion {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  Status status;
};

void on_run_done(void* user_data, OH_NN_ReturnCode code, void**, int32_t) {
  auto& completion = *static_cast<Completion*>(user_data);
  const std::lock_guard lock(completion.mutex);
  completion.done = true;
  completion.status = check(code, "The asynchronous run");
  completion.changed.notify_all();
}

}  // namespace

Result<Executable> Executable::build(const ModelFile& model, const Device& device,
                                     const BuildOptions& options) {
  return build(model, device, options, nullptr);
}

Result<Executable> Executable::build_once(ModelFile& model, const Device& device,
                                          const BuildOptions& options) {
  return build(model, device, options, model.network ? &*model.network : nullptr);
}

Result<Executable> Executable::build(const ModelFile& model, const Device& device,
                                     const BuildOptions& options, import::Network* released) {
  Executable made;
  made.device_ = device;
  NNRT_ASSIGN(made.compilation_, make_compilation(model));
  if (released != nullptr) import::release_constants(*released);
  NNRT_TRY(configure(made.compilation_.get(), model, device, options));
  NNRT_ASSIGN(made.build_ms_, build_timed(made.compilation_.get(), model, device));

  NNRT_ASSIGN(const auto executor,
              own<import::ExecutorHandle>(OH_NNExecutor_Construct(made.compilation_.get()),
                                          "OH_NNExecutor_Construct"));
  size_t inputs = 0, outputs = 0;
  NNRT_TRY(check(OH_NNExecutor_GetInputCount(executor.get(), &inputs), "OH_NNExecutor_GetInputCount"));
  NNRT_TRY(check(OH_NNExecutor_GetOutputCount(executor.get(), &outputs), "OH_NNExecutor_GetOutputCount"));
  NNRT_ASSIGN(made.inputs_, read_descs(executor.get(), inputs, OH_NNExecutor_CreateInputTensorDesc));
  NNRT_ASSIGN(made.outputs_, read_descs(executor.get(), outputs, OH_NNExecutor_CreateOutputTensorDesc));
  const import::Description description = description_for(model);
  if (description.inputs.empty() && description.outputs.empty()) return made;
  NNRT_TRY(add_from_file(made.inputs_, description.inputs, model));
  NNRT_TRY(add_from_file(made.outputs_, description.outputs, model));
  return made;
}

Result<Runner> Runner::create(const Executable& executable, std::span<const Array> inputs) {
  Runner runner;
  runner.executable_ = &executable;
  NNRT_ASSIGN(runner.executor_, own<import::ExecutorHandle>(OH_NNExecutor_Construct(executable.compilation()),
                                                            "OH_NNExecutor_Construct"));
  NNRT_TRY(
      check(OH_NNExecutor_SetOnRunDone(runner.executor_.get(), on_run_done), "OH_NNExecutor_SetOnRunDone"));
  NNRT_TRY(runner.load(inputs));
  for (const import::Tensor& output : executable.outputs()) {
    size_t size = kRoom;
    if (!is_dynamic(output.shape)) {
      NNRT_ASSIGN(size, import::byte_count(output.type, output.shape));
    }
    NNRT_ASSIGN(import::TensorHandle tensor, make_tensor(executable.device(), output, output.shape, size));
    if (is_dynamic(output.shape)) NNRT_TRY(grow_in_runs(tensor.get()));
    runner.outputs_.push_back(std::move(tensor));
  }
  return runner;
}

// Keeps tensors of unchanged shape, and with them command buffers that a device recorded for them.
Status Runner::load(std::span<const Array> inputs) {
  inputs_.resize(inputs.size());
  input_shapes_.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Array& array = inputs[i];
    if (!inputs_[i] || input_shapes_[i] != array.shape) {
      NNRT_ASSIGN(inputs_[i], make_tensor(executable_->device(), executable_->inputs()[i], array.shape,
                                          array.bytes.size()));
      input_shapes_[i] = array.shape;
    }
    if (!array.bytes.empty())
      std::memcpy(OH_NNTensor_GetDataBuffer(inputs_[i].get()), array.bytes.data(), array.bytes.size());
  }
  return {};
}

Status Runner::run() { return call(false); }
Status Runner::run_async() { return call(true); }

Status Runner::call(bool async) {
  std::vector<NN_Tensor*> inputs = pointers(inputs_), outputs = pointers(outputs_);
  if (!async) {
    const OH_NN_ReturnCode code =
        OH_NNExecutor_RunSync(executor_.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size());
    Status status = check(code, "OH_NNExecutor_RunSync");
    if (status.ok()) return {};
    NNRT_ASSIGN(const bool grown, grow());
    return grown ? call(async) : std::move(status);
  }
  Completion completion;
  NNRT_TRY(check(OH_NNExecutor_RunAsync(executor_.get(), inputs.data(), inputs.size(), outputs.data(),
                                        outputs.size(), 0, &completion),
                 "OH_NNExecutor_RunAsync"));
  std::unique_lock lock(completion.mutex);
  completion.changed.wait(lock, [&] { return completion.done; });
  if (completion.status.ok()) return {};
  lock.unlock();
  NNRT_ASSIGN(const bool grown, grow());
  return grown ? call(async) : std::move(completion.status);
}

// Needed only for other API implementations.
Result<bool> Runner::grow() {
  bool grown = false;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const import::Tensor& declared = executable_->outputs()[i];
    int32_t* dimensions = nullptr;
    uint32_t rank = 0;
    if (!is_dynamic(declared.shape) || OH_NNExecutor_GetOutputShape(executor_.get(), static_cast<uint32_t>(i),
                                                                    &dimensions, &rank) != OH_NN_SUCCESS) {
      continue;
    }
    const Shape needed(dimensions, dimensions + rank);
    const auto bytes = import::byte_count(declared.type, needed);
    size_t present = 0;
    NNRT_TRY(check(OH_NNTensor_GetSize(outputs_[i].get(), &present), "OH_NNTensor_GetSize"));
    if (!bytes.ok() || bytes.value() <= present) continue;
    NNRT_ASSIGN(outputs_[i], make_tensor(executable_->device(), declared, declared.shape, bytes.value()));
    grown = true;
  }
  return grown;
}

Result<std::vector<Array>> Runner::outputs() const {
  std::vector<Array> arrays;
  for (const import::TensorHandle& tensor : outputs_) {
    NNRT_ASSIGN(const import::Tensor desc, read_desc(OH_NNTensor_GetTensorDesc(tensor.get())));
    NNRT_ASSIGN(Array array, make_array(desc.type, desc.shape));
    if (!array.bytes.empty()) {
      std::memcpy(array.bytes.data(), OH_NNTensor_GetDataBuffer(tensor.get()), array.bytes.size());
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Result<std::vector<Array>> outputs_on(const Device& device, const ModelFile& model,
                                      const BuildOptions& options, std::span<const Array> inputs) {
  NNRT_ASSIGN(const Executable executable, Executable::build(model, device, options));
  NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
  NNRT_TRY(runner.run());
  return runner.outputs();
}

}  // namespace nnrt::tool
