#include "tests/import/inference_session.h"

#include "tools/import/model_builder.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>

namespace nnrt::test {
namespace {

Status called(OH_NN_ReturnCode code, const char* call) {
  if (code == OH_NN_SUCCESS) return {};
  return Error{static_cast<Code>(code), std::string(call) + " returns " + std::to_string(code) + "."};
}

Result<size_t> find_device(OH_NN_DeviceType type) {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  NNRT_TRY(called(OH_NNDevice_GetAllDevicesID(&ids, &count), "OH_NNDevice_GetAllDevicesID"));
  for (size_t i = 0; i < count; ++i) {
    OH_NN_DeviceType found{};
    NNRT_TRY(called(OH_NNDevice_GetType(ids[i], &found), "OH_NNDevice_GetType"));
    if (found == type) return ids[i];
  }
  return Error{Code::unavailable_device, "No device of that type is there."};
}

Result<import::TensorHandle> make_tensor(size_t device, import::TensorDescHandle description,
                                         const Shape& shape) {
  if (!shape.empty())
    NNRT_TRY(called(OH_NNTensorDesc_SetShape(description.get(), shape.data(), shape.size()),
                    "OH_NNTensorDesc_SetShape"));
  const bool is_empty = std::ranges::find(shape, 0) != shape.end();
  import::TensorHandle tensor(is_empty ? OH_NNTensor_CreateWithSize(device, description.get(), 1)
                                       : OH_NNTensor_Create(device, description.get()));
  if (!tensor) return Error{Code::memory, "OH_NNTensor_Create returns null."};
  return tensor;
}

// Size in bytes of the elements; tensors always have memory.
Result<size_t> size_of(const import::TensorHandle& tensor, const Shape& shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return size_t{0};
  size_t size = 0;
  NNRT_TRY(called(OH_NNTensor_GetSize(tensor.get(), &size), "OH_NNTensor_GetSize"));
  return size;
}

std::vector<NN_Tensor*> pointers(const std::vector<import::TensorHandle>& handles) {
  std::vector<NN_Tensor*> result;
  for (const auto& handle : handles) result.push_back(handle.get());
  return result;
}

}  // namespace

Result<Session> Session::open(const import::Network& network, OH_NN_DeviceType device_type) {
  Session session;
  NNRT_ASSIGN(session.device_, find_device(device_type));
  const char* name = nullptr;
  NNRT_TRY(called(OH_NNDevice_GetName(session.device_, &name), "OH_NNDevice_GetName"));
  session.device_name_ = name;
  NNRT_TRY(session.build(network));
  return session;
}

Status Session::build(const import::Network& network) {
  char path[] = "/tmp/nnrt_placement_XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return Error{Code::failed, "No temporary file can be made."};
  close(file);
  NNRT_ASSIGN(const import::ModelHandle model, import::make_model(network));
  compilation_.reset(OH_NNCompilation_Construct(model.get()));
  NNRT_TRY(called(OH_NNCompilation_SetDevice(compilation_.get(), device_), "OH_NNCompilation_SetDevice"));
  NNRT_TRY(called(
      OH_NNCompilation_AddExtensionConfig(compilation_.get(), "nnrt.placement", path, std::strlen(path)),
      "OH_NNCompilation_AddExtensionConfig"));
  Status built = called(OH_NNCompilation_Build(compilation_.get()), "OH_NNCompilation_Build");
  if (built.ok()) built = read_placement(path);
  unlink(path);
  if (!built.ok()) return import::explain(std::move(built).error(), network);
  executor_.reset(OH_NNExecutor_Construct(compilation_.get()));
  if (!executor_) return Error{Code::failed, "OH_NNExecutor_Construct returns null."};
  return {};
}

// Parses a table of node, operator, device, reason; columns start where their titles do. Other lines don't
// start with a node number.
Status Session::read_placement(const std::string& path) {
  std::ifstream table(path);
  std::string line;
  if (!std::getline(table, line)) return Error{Code::failed, "The table of the placement is empty."};
  const size_t begin = line.find("device"), end = line.find("reason");
  while (std::getline(table, line)) {
    if (line.empty() || std::isdigit(static_cast<unsigned char>(line[0])) == 0) continue;
    std::string name = line.substr(std::min(begin, line.size()), end - begin);
    name.erase(name.find_last_not_of(' ') + 1);
    ++placement_[name];
  }
  return {};
}

bool Session::may_share(size_t input, size_t output) const {
  bool may = false;
  const OH_NN_ReturnCode code = OH_NNRt_MayShareMemory(executor_.get(), input, output, &may);
  return code == OH_NN_SUCCESS && may;
}

Result<std::vector<Value>> Session::run(std::span<const Value> inputs, std::span<const Shape> shapes,
                                        const std::map<size_t, size_t>& shared) {
  std::vector<import::TensorHandle> fed, made;
  for (size_t i = 0; i < inputs.size(); ++i) {
    import::TensorDescHandle description(OH_NNExecutor_CreateInputTensorDesc(executor_.get(), i));
    NNRT_ASSIGN(import::TensorHandle tensor, make_tensor(device_, std::move(description), inputs[i].shape));
    NNRT_ASSIGN(const size_t size, size_of(tensor, inputs[i].shape));
    if (size != inputs[i].bytes.size())
      return Error{Code::failed, "Input " + std::to_string(i) + " has another size."};
    std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), inputs[i].bytes.data(), size);
    fed.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    import::TensorDescHandle description(OH_NNExecutor_CreateOutputTensorDesc(executor_.get(), i));
    NNRT_ASSIGN(import::TensorHandle tensor, make_tensor(device_, std::move(description), shapes[i]));
    made.push_back(std::move(tensor));
  }
  std::vector<NN_Tensor*> input_pointers = pointers(fed), output_pointers = pointers(made);
  for (const auto& [output, input] : shared) output_pointers[output] = input_pointers[input];
  NNRT_TRY(called(OH_NNExecutor_RunSync(executor_.get(), input_pointers.data(), fed.size(),
                                        output_pointers.data(), made.size()),
                  "OH_NNExecutor_RunSync"));
  std::vector<Value> results;
  for (uint32_t i = 0; i < made.size(); ++i) {
    int32_t* dimensions = nullptr;
    uint32_t rank = 0;
    NNRT_TRY(called(OH_NNExecutor_GetOutputShape(executor_.get(), i, &dimensions, &rank),
                    "OH_NNExecutor_GetOutputShape"));
    NNRT_ASSIGN(const size_t size, size_of(made[i], shapes[i]));
    const auto* data = static_cast<const std::byte*>(OH_NNTensor_GetDataBuffer(output_pointers[i]));
    results.push_back({Shape(dimensions, dimensions + rank), Bytes(data, data + size)});
  }
  return results;
}

Result<std::vector<Value>> run_on_cpu(const import::Network& network, std::span<const Value> inputs,
                                      std::span<const Shape> shapes) {
  NNRT_ASSIGN(Session session, Session::open(network, OH_NN_CPU));
  return session.run(inputs, shapes);
}

}  // namespace nnrt::test
