// Implements nnrt_import.h. No exception passes this boundary.
#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "tools/import/cache_note.h"
#include "tools/import/description.h"
#include "tools/import/load_network.h"
#include "tools/import/model_builder.h"
#include "tools/import/network/layers.h"
#include "tools/import/network/network_check.h"
#include "tools/import/nn_handles.h"

#include <neural_network_runtime/nnrt_import.h>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Without constants, which are in the C API model.
struct OH_NNRt_ImportedModel {
  nnrt::import::ModelHandle model;  // null if only a description was read
  nnrt::import::Description description;
  std::vector<std::string> operations;  // human-readable names
  nnrt::import::Bytes cache_note;

  // The description, encoded at the first call. Thread safe.
  const nnrt::import::Bytes& encoded() const {
    std::call_once(once_, [&] { encoded_ = nnrt::import::encode_description(description); });
    return encoded_;
  }

 private:
  mutable std::once_flag once_;
  mutable nnrt::import::Bytes encoded_;
};

namespace nnrt::import {
namespace {

constexpr size_t kFirstOptionsBytes = offsetof(OH_NNRt_ImportOptions, identity);  // until version 2

std::string name_of(const Network& network, const Operation& operation) {
  return operation.layer ? label_of(network.layers[*operation.layer]) : operation.origin;
}

// `name` identifies the source in errors; it is the file's path.
Result<std::unique_ptr<OH_NNRt_ImportedModel>> import_model(Result<LoadedFile> file, std::string_view name) {
  if (!file.ok()) return std::move(file).error().during(cat("reading ", name));
  const Network& network = file.value().network;
  auto imported = std::make_unique<OH_NNRt_ImportedModel>();
  auto model = make_model(network);
  if (!model.ok()) return of_file(std::move(model).error()).during(cat("composing the model of ", name));
  imported->model = std::move(model).value();
  for (const Operation& operation : network.operations)
    imported->operations.push_back(name_of(network, operation));
  imported->description = description_of(network, std::move(file.value().files));
  return imported;
}

// Fails if a structure size matches no version, or if a pointer is missing.
Result<Options> read_options(const OH_NNRt_ImportOptions* given) {
  Options options;
  if (given == nullptr) return options;
  if (given->size < kFirstOptionsBytes)
    return invalid("The size of the options (", given->size, ") matches no version.");
  if (given->inputShapes == nullptr && given->inputShapeCount > 0)
    return invalid("The options have no input shapes, but a count (", given->inputShapeCount, ").");
  for (size_t i = 0; i < given->inputShapeCount; ++i) {
    const OH_NNRt_InputShape& shape = given->inputShapes[i];
    const std::string name = shape.name == nullptr ? "" : shape.name;
    if (shape.shape == nullptr && shape.rank > 0)
      return invalid("The shape of input (", name, ") is null, but its rank is ", shape.rank, ".");
    const Shape dimensions(shape.shape, shape.shape + shape.rank);
    if (!options.input_shapes.emplace(name, dimensions).second)
      return invalid("The options have two shapes of input (", name, ").");
  }
  return options;
}

// What the options say about a cache of the model. Empty: no identity.
Result<std::optional<CacheKey>> read_cache_key(const OH_NNRt_ImportOptions* given, std::string_view path) {
  if (given == nullptr || given->size < sizeof(OH_NNRt_ImportOptions) ||
      given->identity == OH_NNRT_IDENTITY_NONE)
    return std::optional<CacheKey>();
  if (given->identity != OH_NNRT_IDENTITY_FILE && given->identity != OH_NNRT_IDENTITY_CONTENT)
    return invalid("The identity (", given->identity, ") does not exist.");
  NNRT_ASSIGN(Options options, read_options(given));
  return std::optional(CacheKey{path, std::move(options), given->identity == OH_NNRT_IDENTITY_CONTENT,
                                given->variant == nullptr ? "" : given->variant});
}

// Fills in as much of `info` as its size allows.
Status describe(const Tensor& tensor, OH_NNRt_TensorInfo& info) {
  if (info.size < sizeof(OH_NNRt_TensorInfo))
    return invalid("The size of the description (", info.size, ") matches no version.");
  info.name = tensor.name.c_str();
  info.dataType = tensor.type;
  info.format = tensor.format;
  info.shape = tensor.shape.data();
  info.rank = tensor.shape.size();
  info.scales = tensor.quantization.scales.data();
  info.zeroPoints = tensor.quantization.zero_points.data();
  info.quantizationCount = tensor.quantization.scales.size();
  return {};
}

std::string& last_error() {
  thread_local std::string message;
  return message;
}

OH_NN_ReturnCode keep(Error error) noexcept {
  best_effort([&] { last_error() = std::move(error.message); });
  return static_cast<OH_NN_ReturnCode>(error.code);
}

Status require(const void* argument, std::string_view name) {
  return argument != nullptr ? Status() : invalid("Argument ", name, " is null.");
}

template <typename Body>
OH_NN_ReturnCode guard(const Body& body) noexcept {
  Status status = catching(body);
  return status.ok() ? OH_NN_SUCCESS : keep(std::move(status).error());
}

struct NamedPointer {
  std::string_view name;
  const void* pointer;
};

// Runs a body that returns a Status or nothing, unless one of the pointers is null.
template <typename Body>
OH_NN_ReturnCode guard(std::initializer_list<NamedPointer> pointers, const Body& body) noexcept {
  return guard([&]() -> Status {
    for (const auto& [name, pointer] : pointers) NNRT_TRY(require(pointer, name));
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return body();
    }
  });
}

Status require_index(size_t index, size_t count, std::string_view what) {
  return index < count ? Status()
                       : invalid("Index of the ", what, " (", index, ") is outside [0, ", count, ").");
}

Status describe_nth(const std::vector<Tensor>& tensors, size_t index, std::string_view what,
                    OH_NNRt_TensorInfo* info) {
  NNRT_TRY(require(info, "info"));
  NNRT_TRY(require_index(index, tensors.size(), what));
  return describe(tensors[index], *info);
}

Status require_null(OH_NNRt_ImportedModel** model) {
  NNRT_TRY(require(model, "model"));
  return *model == nullptr ? Status() : invalid("Argument *model is not null on entry.");
}

Result<std::unique_ptr<OH_NNRt_ImportedModel>> import_file(const char* path,
                                                           const OH_NNRt_ImportOptions* options) {
  NNRT_ASSIGN(Options read, read_options(options));
  NNRT_ASSIGN(const auto key, read_cache_key(options, path));
  std::optional<SourceFiles> sources;
  if (key) read.sources = &sources.emplace(path);
  NNRT_ASSIGN(auto imported, import_model(load_all(path, read), path));
  if (key)
    imported->cache_note = make_cache_note(*key, *sources, {imported->description, imported->operations});
  return imported;
}

}  // namespace
}  // namespace nnrt::import

using namespace nnrt;
using namespace nnrt::import;

uint32_t OH_NNRt_GetImportVersion(void) { return OH_NNRT_IMPORT_VERSION; }

const char* OH_NNRt_GetImportError(void) { return last_error().c_str(); }

OH_NN_ReturnCode OH_NNRt_ImportModel(const char* path, const OH_NNRt_ImportOptions* options,
                                     OH_NNRt_ImportedModel** model) {
  return guard({{"path", path}}, [&]() -> Status {
    NNRT_TRY(require_null(model));
    NNRT_ASSIGN(auto imported, import_file(path, options));
    *model = imported.release();
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_ImportModelFromBuffer(const void* buffer, size_t size, const char* folder,
                                               const OH_NNRt_ImportOptions* options,
                                               OH_NNRt_ImportedModel** model) {
  return guard({{"buffer", buffer}}, [&]() -> Status {
    NNRT_TRY(require_null(model));
    NNRT_ASSIGN(const Options read, read_options(options));
    const std::span file(static_cast<const std::byte*>(buffer), size);
    NNRT_ASSIGN(auto imported,
                import_model(load_all(file, folder == nullptr ? "" : folder, read), "the buffer"));
    *model = imported.release();
    return {};
  });
}

void OH_NNRt_ImportedModel_Destroy(OH_NNRt_ImportedModel** model) {
  if (model != nullptr) delete std::exchange(*model, nullptr);
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetModel(const OH_NNRt_ImportedModel* model,
                                                const OH_NNModel** nnModel) {
  return guard({{"model", model}, {"nnModel", nnModel}}, [&]() -> Status {
    if (model->model == nullptr) return Error{Code::forbidden, "A description has no model."};
    *nnModel = model->model.get();
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetCounts(const OH_NNRt_ImportedModel* model, size_t* inputs,
                                                 size_t* outputs) {
  return guard({{"model", model}}, [&] {
    if (inputs != nullptr) *inputs = model->description.inputs.size();
    if (outputs != nullptr) *outputs = model->description.outputs.size();
  });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetInput(const OH_NNRt_ImportedModel* model, size_t index,
                                                OH_NNRt_TensorInfo* info) {
  return guard({{"model", model}},
               [&] { return describe_nth(model->description.inputs, index, "input", info); });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOutput(const OH_NNRt_ImportedModel* model, size_t index,
                                                 OH_NNRt_TensorInfo* info) {
  return guard({{"model", model}},
               [&] { return describe_nth(model->description.outputs, index, "output", info); });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOperationCount(const OH_NNRt_ImportedModel* model, size_t* count) {
  return guard({{"model", model}, {"count", count}}, [&] { *count = model->operations.size(); });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOperationName(const OH_NNRt_ImportedModel* model, size_t index,
                                                        const char** name) {
  return guard({{"model", model}, {"name", name}}, [&]() -> Status {
    NNRT_TRY(require_index(index, model->operations.size(), "operation"));
    *name = model->operations[index].c_str();
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetFileCount(const OH_NNRt_ImportedModel* model, size_t* count) {
  return guard({{"model", model}, {"count", count}}, [&] { *count = model->description.files.size(); });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetFile(const OH_NNRt_ImportedModel* model, size_t index,
                                               const char** name, const void** data, size_t* size) {
  return guard({{"model", model}, {"name", name}, {"data", data}, {"size", size}}, [&]() -> Status {
    NNRT_TRY(require_index(index, model->description.files.size(), "attached file"));
    const AttachedFile& file = model->description.files[index];
    *name = file.name.c_str();
    *data = file.data.data();
    *size = file.data.size();
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetDescription(const OH_NNRt_ImportedModel* model, const void** data,
                                                      size_t* size) {
  return guard({{"model", model}, {"data", data}, {"size", size}}, [&] {
    *data = model->encoded().data();
    *size = model->encoded().size();
  });
}

OH_NN_ReturnCode OH_NNRt_ImportedModel_GetCacheNote(const OH_NNRt_ImportedModel* model, const void** data,
                                                    size_t* size) {
  return guard({{"model", model}, {"data", data}, {"size", size}}, [&] {
    *data = model->cache_note.data();
    *size = model->cache_note.size();
  });
}

OH_NN_ReturnCode OH_NNRt_ImportFromCacheNote(const char* path, const OH_NNRt_ImportOptions* options,
                                             const void* note, size_t size, OH_NNRt_ImportedModel** model) {
  return guard({{"path", path}, {"note", note}}, [&]() -> Status {
    NNRT_TRY(require_null(model));
    NNRT_ASSIGN(const auto key, read_cache_key(options, path));
    if (!key) return invalid("The options have no identity.");
    const std::span bytes(static_cast<const std::byte*>(note), size);
    std::optional<CachedImport> cached = read_cache_note(bytes, *key);
    if (!cached) return Error{Code::invalid_file, cat("The cache is of another version of ", path, ".")};
    auto imported = std::make_unique<OH_NNRt_ImportedModel>();
    imported->description = std::move(cached->description);
    imported->operations = std::move(cached->operations);
    imported->cache_note.assign(bytes.begin(), bytes.end());
    *model = imported.release();
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_ImportDescription(const void* data, size_t size, OH_NNRt_ImportedModel** model) {
  return guard({{"data", data}}, [&]() -> Status {
    NNRT_TRY(require_null(model));
    const std::span bytes(static_cast<const std::byte*>(data), size);
    auto imported = std::make_unique<OH_NNRt_ImportedModel>();
    NNRT_ASSIGN(imported->description, decode_description(bytes));
    *model = imported.release();
    return {};
  });
}
