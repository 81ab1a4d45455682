#include "python/native/model_reading.h"

#include "python/native/error.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>

namespace nnrt::python {
namespace {

// `read` is a library function that takes options.
template <typename Read>
ImportedHandle import_with(const Read& read, const InputShapes& input_shapes,
                           OH_NNRt_Identity identity = OH_NNRT_IDENTITY_NONE) {
  std::vector<OH_NNRt_InputShape> shapes;
  for (const auto& [name, shape] : input_shapes)
    shapes.push_back({name.empty() ? nullptr : name.c_str(), shape.data(), shape.size()});
  const OH_NNRt_ImportOptions given{sizeof(OH_NNRt_ImportOptions), shapes.data(), shapes.size(), identity,
                                    "python"};
  OH_NNRt_ImportedModel* imported = nullptr;
  check_import(read(&given, &imported));
  return ImportedHandle(imported);
}

using Describe = OH_NN_ReturnCode (*)(const OH_NNRt_ImportedModel*, size_t, OH_NNRt_TensorInfo*);

std::vector<Declaration> declarations(const OH_NNRt_ImportedModel* imported, size_t count,
                                      Describe describe_nth) {
  std::vector<Declaration> result;
  for (size_t i = 0; i < count; ++i) {
    OH_NNRt_TensorInfo info{};
    info.size = sizeof info;
    check_import(describe_nth(imported, i, &info));
    result.push_back({info.name,
                      &element_type(info.dataType),
                      {info.shape, info.shape + info.rank},
                      {info.scales, info.scales + info.quantizationCount},
                      {info.zeroPoints, info.zeroPoints + info.quantizationCount}});
  }
  return result;
}

std::pair<size_t, size_t> counts_of(const OH_NNRt_ImportedModel* imported) {
  size_t inputs = 0, outputs = 0;
  check_import(OH_NNRt_ImportedModel_GetCounts(imported, &inputs, &outputs));
  return {inputs, outputs};
}

}  // namespace

void check_import(OH_NN_ReturnCode code) {
  if (code != OH_NN_SUCCESS) throw Failure(code, OH_NNRt_GetImportError());
}

ImportedHandle read_model(const std::string& path, const InputShapes& shapes, OH_NNRt_Identity identity) {
  return import_with(
      [&](const auto* options, auto** model) { return OH_NNRt_ImportModel(path.c_str(), options, model); },
      shapes, identity);
}

ImportedHandle read_model(std::span<const std::byte> file, const InputShapes& shapes) {
  return import_with(
      [&](const auto* options, auto** model) {
        return OH_NNRt_ImportModelFromBuffer(file.data(), file.size(), nullptr, options, model);
      },
      shapes);
}

ImportedHandle read_note(const std::string& path) {
  size_t size = 0;
  check(OH_NNRt_GetModelNote(path.c_str(), nullptr, 0, &size));
  if (size == 0) return nullptr;
  std::vector<std::byte> note(size);
  check(OH_NNRt_GetModelNote(path.c_str(), note.data(), note.size(), &size));
  OH_NNRt_ImportedModel* described = nullptr;
  check_import(OH_NNRt_ImportDescription(note.data(), note.size(), &described));
  return ImportedHandle(described);
}

ImportedHandle read_cached(const std::string& path, const std::string& container, const InputShapes& shapes,
                           OH_NNRt_Identity identity) {
  size_t size = 0;
  if (OH_NNRt_GetModelNote(container.c_str(), nullptr, 0, &size) != OH_NN_SUCCESS || size == 0)
    return nullptr;
  std::vector<std::byte> note(size);
  if (OH_NNRt_GetModelNote(container.c_str(), note.data(), note.size(), &size) != OH_NN_SUCCESS)
    return nullptr;
  note.resize(std::min(size, note.size()));
  try {
    return import_with(
        [&](const auto* options, auto** model) {
          return OH_NNRt_ImportFromCacheNote(path.c_str(), options, note.data(), note.size(), model);
        },
        shapes, identity);
  } catch (const Failure&) {
    return nullptr;
  }
}

std::vector<Declaration> inputs_of(const OH_NNRt_ImportedModel* imported) {
  return declarations(imported, counts_of(imported).first, OH_NNRt_ImportedModel_GetInput);
}

std::vector<Declaration> outputs_of(const OH_NNRt_ImportedModel* imported) {
  return declarations(imported, counts_of(imported).second, OH_NNRt_ImportedModel_GetOutput);
}

std::vector<std::string> operation_names(const OH_NNRt_ImportedModel* imported) {
  size_t count = 0;
  check_import(OH_NNRt_ImportedModel_GetOperationCount(imported, &count));
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    check_import(OH_NNRt_ImportedModel_GetOperationName(imported, i, &name));
    names.emplace_back(name);
  }
  return names;
}

AttachedFiles attached_files(const OH_NNRt_ImportedModel* imported) {
  size_t count = 0;
  check_import(OH_NNRt_ImportedModel_GetFileCount(imported, &count));
  AttachedFiles files;
  for (size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    const void* data = nullptr;
    size_t size = 0;
    check_import(OH_NNRt_ImportedModel_GetFile(imported, i, &name, &data, &size));
    files.emplace_back(name, std::string(static_cast<const char*>(data), size));
  }
  return files;
}

}  // namespace nnrt::python
