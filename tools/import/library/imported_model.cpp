#include "tools/import/library/imported_model.h"

#include "core/base/text.h"
#include "tools/import/model_builder.h"
#include "tools/import/network/layers.h"
#include "tools/import/network/network_check.h"

#include <cstddef>

namespace nnrt::import {
namespace {

constexpr size_t kFirstOptionsBytes = offsetof(OH_NNRt_ImportOptions, identity);  // until version 2

std::string name_of(const Network& network, const Operation& operation) {
  return operation.layer ? label_of(network.layers[*operation.layer]) : operation.origin;
}

}  // namespace

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

}  // namespace nnrt::import

const nnrt::import::Bytes& OH_NNRt_ImportedModel::encoded() const {
  std::call_once(once_, [&] { encoded_ = nnrt::import::encode_description(description); });
  return encoded_;
}
