// Reads model files through libnnrt_import.so.
#pragma once

#include "python/native/tensor.h"

#include <neural_network_runtime/nnrt_import.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nnrt::python {

// An input or output as declared by the file.
struct Declaration {
  std::string name;
  const ElementType* type = nullptr;
  Shape shape;  // -1: dynamic
  std::vector<double> scales;
  std::vector<int32_t> zero_points;
};

using InputShapes = std::vector<std::pair<std::string, Shape>>;  // by name, overriding the file
using AttachedFiles = std::vector<std::pair<std::string, std::string>>;

struct DestroyImported {
  void operator()(OH_NNRt_ImportedModel* model) const { OH_NNRt_ImportedModel_Destroy(&model); }
};
using ImportedHandle = std::unique_ptr<OH_NNRt_ImportedModel, DestroyImported>;

// Throws with the library's message if a call failed.
void check_import(OH_NN_ReturnCode code);

// With an identity, the result has a note for a cache.
ImportedHandle read_model(const std::string& path, const InputShapes& shapes,
                          OH_NNRt_Identity identity = OH_NNRT_IDENTITY_NONE);
ImportedHandle read_model(std::span<const std::byte> file, const InputShapes& shapes);
// The description stored in an offline model; null if it has none.
ImportedHandle read_note(const std::string& path);
// The description and the operations' names from the note of a cached model; null unless the cache is of the
// file as it is now.
ImportedHandle read_cached(const std::string& path, const std::string& container, const InputShapes& shapes,
                           OH_NNRt_Identity identity);

std::vector<Declaration> inputs_of(const OH_NNRt_ImportedModel* imported);
std::vector<Declaration> outputs_of(const OH_NNRt_ImportedModel* imported);
std::vector<std::string> operation_names(const OH_NNRt_ImportedModel* imported);
AttachedFiles attached_files(const OH_NNRt_ImportedModel* imported);

}  // namespace nnrt::python
