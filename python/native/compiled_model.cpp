#include "python/native/compiled_model.h"

#include "python/native/error.h"
#include "python/native/model_reading.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>
#include <cstring>

namespace nnrt::python {
namespace {

constexpr size_t kRoom = size_t{1} << 16;  // initial bytes of outputs of dynamic size

Declaration declaration(const import::TensorDescHandle& desc) {
  const char* name = nullptr;
  OH_NN_DataType type = OH_NN_UNKNOWN;
  int32_t* shape = nullptr;
  size_t rank = 0;
  check(OH_NNTensorDesc_GetName(desc.get(), &name));
  check(OH_NNTensorDesc_GetDataType(desc.get(), &type));
  check(OH_NNTensorDesc_GetShape(desc.get(), &shape, &rank));
  return {name, &element_type(type), {shape, shape + rank}, {}, {}};
}

bool is_open(const Shape& shape) { return std::ranges::find(shape, -1) != shape.end(); }

size_t size_of(const NN_Tensor* tensor) {
  size_t size = 0;
  check(OH_NNTensor_GetSize(tensor, &size));
  return size;
}

}  // namespace

CompiledModel::CompiledModel(const std::string& path, bool is_offline, const BuildOptions& options)
    : device_(options.device) {
  if (is_offline) {
    build_offline(path, options);
    return;
  }
  const OH_NNRt_Identity identity = options.cache.empty()      ? OH_NNRT_IDENTITY_NONE
                                    : options.cache_by_content ? OH_NNRT_IDENTITY_CONTENT
                                                               : OH_NNRT_IDENTITY_FILE;
  if (identity != OH_NNRT_IDENTITY_NONE && build_cached(path, identity, options)) return;
  build_imported(read_model(path, options.input_shapes, identity).get(), options);
}

CompiledModel::CompiledModel(std::span<const std::byte> file, const BuildOptions& options)
    : device_(options.device) {
  build_imported(read_model(file, options.input_shapes).get(), options);
}

void CompiledModel::build_imported(const OH_NNRt_ImportedModel* imported, const BuildOptions& options) {
  const OH_NNModel* model = nullptr;
  check_import(OH_NNRt_ImportedModel_GetModel(imported, &model));
  read_description(imported);
  operations_ = operation_names(imported);
  compilation_ = own<import::CompilationHandle>(OH_NNCompilation_Construct(model));
  const void* note = nullptr;
  size_t size = 0;
  check_import(OH_NNRt_ImportedModel_GetCacheNote(imported, &note, &size));
  set_note(note, size);
  build(options);
  check_import(OH_NNRt_ImportedModel_GetDescription(imported, &note, &size));
  set_note(note, size);  // of a saved model
}

bool CompiledModel::build_cached(const std::string& path, OH_NNRt_Identity identity,
                                 const BuildOptions& options) {
  const auto name = std::ranges::find(options.configs, "ModelName", [](const auto& it) { return it.first; });
  if (name == options.configs.end()) return false;
  const std::string container = options.cache + "/" + name->second + "0.nncache";
  const ImportedHandle cached = read_cached(path, container, options.input_shapes, identity);
  if (cached == nullptr) return false;
  try {
    compilation_ = own<import::CompilationHandle>(OH_NNCompilation_ConstructForCache());
    const void* note = nullptr;
    size_t size = 0;
    check_import(OH_NNRt_ImportedModel_GetCacheNote(cached.get(), &note, &size));
    set_note(note, size);
    build(options);
    check_import(OH_NNRt_ImportedModel_GetDescription(cached.get(), &note, &size));
    set_note(note, size);
  } catch (const Failure&) {  // such as a damaged cache
    return false;
  }
  read_description(cached.get());
  operations_ = operation_names(cached.get());
  return true;
}

void CompiledModel::set_note(const void* note, size_t size) {
  check(OH_NNRt_SetModelNote(compilation_.get(), note, size));
}

void CompiledModel::build_offline(const std::string& path, const BuildOptions& options) {
  if (!options.input_shapes.empty()) refuse("The shapes of an offline model cannot be changed.");
  compilation_ = own<import::CompilationHandle>(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()));
  build(options);
  read_executor(idle_.back()->executor.get());
  const ImportedHandle described = read_note(path);
  if (described == nullptr) return;
  const std::vector<Declaration> inputs = inputs_, outputs = outputs_;
  read_description(described.get());
  const auto same_types = [](const auto& a, const auto& b) {
    return std::ranges::equal(a, b, {}, &Declaration::type, &Declaration::type);
  };
  if (!same_types(inputs, inputs_) || !same_types(outputs, outputs_))
    throw Failure(OH_NN_INVALID_FILE, "The description in " + path + " belongs to another model.");
}

void CompiledModel::read_description(const OH_NNRt_ImportedModel* imported) {
  inputs_ = inputs_of(imported);
  outputs_ = outputs_of(imported);
  files_ = attached_files(imported);
}

void CompiledModel::build(const BuildOptions& options) {
  OH_NNCompilation* compilation = compilation_.get();
  check(OH_NNCompilation_SetDevice(compilation, options.device));
  if (options.float16) check(OH_NNCompilation_EnableFloat16(compilation, true));
  if (options.performance != OH_NN_PERFORMANCE_NONE) {
    check(OH_NNCompilation_SetPerformanceMode(compilation,
                                              static_cast<OH_NN_PerformanceMode>(options.performance)));
  }
  if (options.priority != OH_NN_PRIORITY_NONE)
    check(OH_NNCompilation_SetPriority(compilation, static_cast<OH_NN_Priority>(options.priority)));
  if (!options.cache.empty()) check(OH_NNCompilation_SetCache(compilation, options.cache.c_str(), 1));
  for (const auto& [name, value] : options.configs)
    check(OH_NNCompilation_AddExtensionConfig(compilation, name.c_str(), value.data(), value.size()));
  check(OH_NNCompilation_Build(compilation));
  idle_.push_back(take_session());
}

void CompiledModel::read_executor(const OH_NNExecutor* executor) {
  size_t inputs = 0, outputs = 0;
  check(OH_NNExecutor_GetInputCount(executor, &inputs));
  check(OH_NNExecutor_GetOutputCount(executor, &outputs));
  for (size_t i = 0; i < inputs; ++i)
    inputs_.push_back(
        declaration(own<import::TensorDescHandle>(OH_NNExecutor_CreateInputTensorDesc(executor, i))));
  for (size_t i = 0; i < outputs; ++i)
    outputs_.push_back(
        declaration(own<import::TensorDescHandle>(OH_NNExecutor_CreateOutputTensorDesc(executor, i))));
}

std::unique_ptr<Session> CompiledModel::take_session() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Session> session = std::move(idle_.back());
      idle_.pop_back();
      return session;
    }
  }
  auto session = std::make_unique<Session>();
  session->executor = own<import::ExecutorHandle>(OH_NNExecutor_Construct(compilation_.get()));
  return session;
}

void CompiledModel::give_back(std::unique_ptr<Session> session) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(session));
}

TensorHandle CompiledModel::make_tensor(const Declaration& declared, const Shape& shape, size_t bytes) const {
  return own<import::TensorHandle>(
      OH_NNTensor_CreateWithSize(device_, describe(*declared.type, shape).get(), std::max<size_t>(bytes, 1)));
}

// Copies an array into the session's tensor, which is reused if large enough, because devices already know
// its memory.
NN_Tensor* CompiledModel::feed(Session& session, size_t index, const Feed& from) const {
  if (from.tensor != nullptr) return from.tensor;
  const Declaration& declared = inputs_[index];
  const size_t bytes = byte_count(*declared.type, from.shape);
  session.inputs.resize(inputs_.size());
  import::TensorHandle& tensor = session.inputs[index];
  const bool has_shape = tensor != nullptr && shape_of(tensor.get()) == from.shape;
  // OH_NNTensorDesc_SetShape cannot make scalars.
  const bool is_new_scalar = from.shape.empty() && !has_shape;
  if (tensor == nullptr || size_of(tensor.get()) < bytes || is_new_scalar) {
    tensor = make_tensor(declared, from.shape, bytes);
  } else if (!has_shape) {
    check(OH_NNTensorDesc_SetShape(OH_NNTensor_GetTensorDesc(tensor.get()), from.shape.data(),
                                   from.shape.size()));
  }
  if (bytes > 0) std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), from.data, bytes);
  return tensor.get();
}

NN_Tensor* CompiledModel::room_for(Session& session, size_t index) const {
  const Declaration& declared = outputs_[index];
  session.outputs.resize(outputs_.size());
  import::TensorHandle& tensor = session.outputs[index];
  if (tensor == nullptr) {
    const size_t bytes = is_open(declared.shape) ? kRoom : byte_count(*declared.type, declared.shape);
    tensor = make_tensor(declared, declared.shape, bytes);
    check(OH_NNRt_GrowInRuns(tensor.get()));
  }
  return tensor.get();
}

std::unique_ptr<Session> CompiledModel::run(const std::vector<Feed>& inputs,
                                            const std::vector<NN_Tensor*>& outputs) {
  if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size())
    refuse("The model has " + std::to_string(inputs_.size()) + " inputs and " +
           std::to_string(outputs_.size()) + " outputs.");
  std::unique_ptr<Session> session = take_session();
  std::vector<NN_Tensor*> fed, made;
  for (size_t i = 0; i < inputs.size(); ++i) fed.push_back(feed(*session, i, inputs[i]));
  for (size_t i = 0; i < outputs.size(); ++i)
    made.push_back(outputs[i] != nullptr ? outputs[i] : room_for(*session, i));
  check(OH_NNExecutor_RunSync(session->executor.get(), fed.data(), fed.size(), made.data(), made.size()));
  return session;
}

std::string CompiledModel::export_model() const {
  std::string bytes(size_t{1} << 20, '\0');
  size_t size = 0;
  OH_NN_ReturnCode code =
      OH_NNCompilation_ExportCacheToBuffer(compilation_.get(), bytes.data(), bytes.size(), &size);
  if (code != OH_NN_SUCCESS && size > bytes.size()) {  // reports the required size
    bytes.resize(size);
    code = OH_NNCompilation_ExportCacheToBuffer(compilation_.get(), bytes.data(), bytes.size(), &size);
  }
  check(code);
  bytes.resize(size);
  return bytes;
}

bool CompiledModel::may_share(size_t input, size_t output) {
  std::unique_ptr<Session> session = take_session();
  bool may = false;
  check(OH_NNRt_MayShareMemory(session->executor.get(), input, output, &may));
  give_back(std::move(session));
  return may;
}

}  // namespace nnrt::python
