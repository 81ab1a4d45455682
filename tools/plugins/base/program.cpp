#include "tools/plugins/base/program.h"

#include "tools/import/model_builder.h"
#include "tools/import/network/network_check.h"
#include "tools/plugins/base/api_call.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>
#include <filesystem>

namespace nnrt::plugins {
namespace {

constexpr size_t kRoom = size_t{1} << 16;  // initial bytes for outputs of unknown size

Status extend(OH_NNCompilation* compilation, const char* name, std::string_view value) {
  if (value.empty()) return {};
  return check(OH_NNCompilation_AddExtensionConfig(compilation, name, value.data(), value.size()),
               "OH_NNCompilation_AddExtensionConfig");
}

Status set_cache(OH_NNCompilation* compilation, const std::string& folder, const std::string& name) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error{Code::invalid_path, cat("Folder ", folder, " cannot be made: ", error.message(), ".")};
  NNRT_TRY(check(OH_NNCompilation_SetCache(compilation, folder.c_str(), 1), "OH_NNCompilation_SetCache"));
  return extend(compilation, "ModelName", name);
}

Status configure(OH_NNCompilation* compilation, const PluginDevice& device, const PluginOptions& options,
                 const std::string& cache_name) {
  NNRT_TRY(check(OH_NNCompilation_SetDevice(compilation, device.id), "OH_NNCompilation_SetDevice"));
  if (options.float16)
    NNRT_TRY(check(OH_NNCompilation_EnableFloat16(compilation, true), "OH_NNCompilation_EnableFloat16"));
  if (options.priority != OH_NN_PRIORITY_NONE)
    NNRT_TRY(check(OH_NNCompilation_SetPriority(compilation, static_cast<OH_NN_Priority>(options.priority)),
                   "OH_NNCompilation_SetPriority"));
  NNRT_TRY(set_cache(compilation, options.cache_dir, cache_name));
  NNRT_TRY(extend(compilation, "nnrt.fallback", options.fallback));
  NNRT_TRY(extend(compilation, "nnrt.export", "off"));
  NNRT_TRY(extend(compilation, "nnrt.placement", options.placement));
  return extend(compilation, "nnrt.trace", options.trace);
}

bool is_dynamic(const import::Shape& shape) {
  return std::ranges::any_of(shape, [](int32_t dimension) { return dimension < 0; });
}

std::vector<import::Tensor> described(const import::Network& network,
                                      const std::vector<import::TensorId>& ids) {
  std::vector<import::Tensor> tensors;
  for (const import::TensorId id : ids) {
    tensors.push_back(network.tensors[id]);
    tensors.back().data = nullptr;
  }
  return tensors;
}

Result<SharedTensor> make_tensor(size_t device, const import::Tensor& declared, const import::Shape& shape,
                                 size_t bytes) {
  import::Tensor tensor = declared;
  tensor.shape = shape;
  NNRT_ASSIGN(const auto description, import::make_description(tensor));
  NNRT_ASSIGN(auto made, own<import::TensorHandle>(OH_NNTensor_CreateWithSize(device, description.get(),
                                                                              std::max<size_t>(bytes, 1)),
                                                   cat("OH_NNTensor_CreateWithSize of ", declared.name)));
  return SharedTensor(std::move(made));
}

std::vector<NN_Tensor*> pointers(const std::vector<SharedTensor>& tensors) {
  std::vector<NN_Tensor*> result;
  for (const SharedTensor& tensor : tensors) result.push_back(tensor.get());
  return result;
}

}  // namespace

Result<SharedTensor> make_tensor(size_t device, const import::Tensor& declared, const import::Shape& shape) {
  NNRT_ASSIGN(const size_t bytes, import::byte_count(declared.type, shape));
  return make_tensor(device, declared, shape, bytes);
}

Result<Program> Program::build(const import::Network& network, const PluginDevice& device,
                               const PluginOptions& options, const std::string& cache_name) {
  Program made;
  made.device_ = device.id;
  {
    NNRT_ASSIGN(const import::ModelHandle model, import::make_model(network));
    NNRT_ASSIGN(made.compilation_, own<import::CompilationHandle>(OH_NNCompilation_Construct(model.get()),
                                                                  "OH_NNCompilation_Construct"));
  }
  NNRT_TRY(configure(made.compilation_.get(), device, options, cache_name));
  if (Status built = check(OH_NNCompilation_Build(made.compilation_.get()), "OH_NNCompilation_Build");
      !built.ok())
    return import::explain(std::move(built).error(), network);
  NNRT_ASSIGN(made.executor_, own<import::ExecutorHandle>(OH_NNExecutor_Construct(made.compilation_.get()),
                                                          "OH_NNExecutor_Construct"));
  made.inputs_ = described(network, network.inputs);
  made.outputs_ = described(network, network.outputs);
  made.input_shapes_.resize(made.inputs_.size());
  made.input_tensors_.resize(made.inputs_.size());
  made.output_tensors_.resize(made.outputs_.size());
  return made;
}

Result<NN_Tensor*> Program::input(size_t i, const import::Shape& shape) {
  if (!input_tensors_[i] || input_shapes_[i] != shape) {
    NNRT_ASSIGN(input_tensors_[i], make_tensor(device_, inputs_[i], shape));
    input_shapes_[i] = shape;
  }
  return input_tensors_[i].get();
}

void Program::bind_input(size_t i, SharedTensor tensor, import::Shape shape) {
  input_tensors_[i] = std::move(tensor);
  input_shapes_[i] = std::move(shape);
}

Result<NN_Tensor*> Program::output(size_t i) {
  if (output_tensors_[i]) return output_tensors_[i].get();
  const import::Tensor& declared = outputs_[i];
  if (!is_dynamic(declared.shape)) {
    NNRT_ASSIGN(output_tensors_[i], make_tensor(device_, declared, declared.shape));
    return output_tensors_[i].get();
  }
  NNRT_ASSIGN(output_tensors_[i], make_tensor(device_, declared, declared.shape, kRoom));
  NNRT_TRY(check(OH_NNRt_GrowInRuns(output_tensors_[i].get()), "OH_NNRt_GrowInRuns"));
  return output_tensors_[i].get();
}

Status Program::run() {
  for (size_t i = 0; i < outputs_.size(); ++i) NNRT_TRY(output(i));
  std::vector<NN_Tensor*> inputs = pointers(input_tensors_), outputs = pointers(output_tensors_);
  return check(
      OH_NNExecutor_RunSync(executor_.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size()),
      "OH_NNExecutor_RunSync");
}

Result<import::Shape> Program::output_shape(size_t i) const {
  int32_t* dimensions = nullptr;
  uint32_t rank = 0;
  NNRT_TRY(check(OH_NNExecutor_GetOutputShape(executor_.get(), static_cast<uint32_t>(i), &dimensions, &rank),
                 "OH_NNExecutor_GetOutputShape"));
  return import::Shape(dimensions, dimensions + rank);
}

}  // namespace nnrt::plugins
