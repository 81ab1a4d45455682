// embedding LIBONNXRUNTIME PLUGIN [KIND]: ONNX Runtime's C API with our provider, in any version of the
// library: shared memory, a session that outlives its environment, and a library that is registered twice.
// Exits with 1 at the first difference.
#include "tests/frameworks/onnxruntime/ort_client.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace nnrt::test {
namespace {

// y = Relu(x + k) for x of shape [rows, 1024], where k is -1.
std::string model(int64_t rows) {
  constexpr int64_t kColumns = 1024;
  onnx_file::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  auto& graph = *model.mutable_graph();
  graph.set_name("g");
  const auto declare = [&](onnx_file::ValueInfo& value, const char* name) {
    value.set_name(name);
    auto& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(1);
    auto& first = *type.mutable_shape()->add_dim();
    if (rows > 0) first.set_dim_value(rows);
    type.mutable_shape()->add_dim()->set_dim_value(kColumns);
  };
  declare(*graph.add_input(), "x");
  declare(*graph.add_output(), "y");
  auto& constant = *graph.add_initializer();
  constant.set_name("k");
  constant.set_data_type(1);
  constant.add_dims(kColumns);
  const std::vector<float> values(kColumns, -1);
  constant.set_raw_data(values.data(), values.size() * sizeof(float));
  const auto node = [&](const char* type, std::vector<std::string> inputs, const char* output) {
    auto& made = *graph.add_node();
    made.set_op_type(type);
    *made.mutable_input() = std::move(inputs);
    made.add_output(output);
  };
  node("Add", {"x", "k"}, "a");
  node("Relu", {"a"}, "y");
  return model.serialize();
}

// Every node is ours.
OrtSession* open(OrtEnv* env, const OrtEpDevice* device, const std::string& bytes) {
  std::string error;
  OrtSession* const session =
      open_session(env, device, bytes, {{"session.disable_cpu_ep_fallback", "1"}}, error);
  if (session == nullptr) fail(error);
  return session;
}

// Runs with the input in `x`, which may be shared memory. If `y` is null, ONNX Runtime allocates the output.
void run(OrtSession* session, OrtValue* x, OrtValue* y, float value, size_t elements) {
  const char *input = "x", *output = "y";
  float *fed = nullptr, *made = nullptr;
  NNRT_ORT(GetTensorMutableData(x, reinterpret_cast<void**>(&fed)));
  std::fill_n(fed, elements, value);
  OrtValue* result = y;
  const OrtValue* fed_value = x;
  NNRT_ORT(Run(session, nullptr, &input, &fed_value, 1, &output, 1, &result));
  NNRT_ORT(GetTensorMutableData(result, reinterpret_cast<void**>(&made)));
  if (!std::all_of(made, made + elements, [&](float it) { return it == value - 1; }))
    fail("The result differs.");
  if (y == nullptr) ort->ReleaseValue(result);
}

OrtValue* tensor(OrtAllocator* allocator, int64_t rows) {
  const std::array<int64_t, 2> shape{rows, 1024};
  OrtValue* value = nullptr;
  NNRT_ORT(CreateTensorAsOrtValue(allocator, shape.data(), shape.size(), ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                  &value));
  return value;
}

void run_shapes(OrtSession* session) {
  OrtAllocator* plain = nullptr;
  NNRT_ORT(GetAllocatorWithDefaultOptions(&plain));
  for (const int64_t rows : {2, 7, 3}) {
    OrtValue* const x = tensor(plain, rows);
    run(session, x, nullptr, static_cast<float>(rows) + 1, static_cast<size_t>(rows) * 1024);
    ort->ReleaseValue(x);
  }
}

void run_shared(OrtEnv* env, const OrtEpDevice* device) {
  OrtAllocator* shared = nullptr;
  NNRT_ORT(CreateSharedAllocator(env, device, OrtDeviceMemoryType_HOST_ACCESSIBLE, OrtDeviceAllocator,
                                 nullptr, &shared));
  if (shared == nullptr) fail("The device has no shared memory.");
  OrtSession* const session = open(env, device, model(4));
  OrtValue *const x = tensor(shared, 4), *const y = tensor(shared, 4);
  for (const float value : {2.0F, 5.0F, 3.0F}) run(session, x, y, value, 4 * 1024);
  ort->ReleaseValue(x);
  ort->ReleaseValue(y);
  ort->ReleaseSession(session);
}

// Errors of the provider are those of the session.
void refuse(OrtEnv* env, const OrtEpDevice* device) {
  for (const auto& [key, value, reason] :
       {std::array{"colour", "red", "Option colour is not one of: device, "},
        std::array{"fp16", "7", "Option fp16 is 7, but must be 1 or 0."},
        std::array{"cache_dir", "/dev/null/cache", "Folder /dev/null/cache cannot be created: "}}) {
    std::string error;
    if (open_session(env, device, model(4), {{std::string("ep.nnrtexecutionprovider.") + key, value}}, error))
      fail(std::string("Option ") + key + " is accepted.");
    if (error.find(reason) == error.npos) fail("The reason differs: " + error);
  }
}

void run_all(const char* library, const char* plugin, const char* type) {
  OrtEnv* const env = open_environment(library, plugin);
  NNRT_ORT(RegisterExecutionProviderLibrary(env, "nnrt again", plugin));
  const OrtEpDevice* const device = find_device(env, type);
  OrtSession* const session = open(env, device, model(-1));
  run_shapes(session);
  run_shared(env, device);
  refuse(env, device);
  NNRT_ORT(UnregisterExecutionProviderLibrary(env, "nnrt again"));
  run_shapes(session);
  ort->ReleaseEnv(env);  // before its session
  ort->ReleaseSession(session);
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  if (argc < 3) nnrt::test::fail("usage: embedding LIBONNXRUNTIME PLUGIN [KIND]");
  nnrt::test::run_all(argv[1], argv[2], argc > 3 ? argv[3] : "cpu");
  std::puts("passed");
  return 0;
}
