// embedding LIBONNXRUNTIME PLUGIN [KIND]: ONNX Runtime's C API with our provider, in any version of the
// library: shared memory, a session that outlives its environment, and a library that is registered twice.
// Exits with 1 at the first difference.
#include "tools/import/onnx/messages/onnx_messages.h"

#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

const OrtApi* api = nullptr;

void fail(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

void check(OrtStatus* status, const char* call) {
  if (status != nullptr) fail(std::string(call) + ": " + api->GetErrorMessage(status));
}
#define CHECK(call) check(api->call, #call)

// y = Relu(x + k) for x of shape [rows, 1024], where k is -1.
std::string model(int64_t rows) {
  constexpr int64_t kColumns = 1024;
  nnrt::onnx_file::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  auto& graph = *model.mutable_graph();
  graph.set_name("g");
  const auto declare = [&](nnrt::onnx_file::ValueInfo& value, const char* name) {
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

const OrtEpDevice* find_device(OrtEnv* env, const std::string& kind) {
  const OrtEpDevice* const* devices = nullptr;
  size_t count = 0;
  CHECK(GetEpDevices(env, &devices, &count));
  for (size_t i = 0; i < count; ++i) {
    if (std::string(api->EpDevice_EpName(devices[i])) != "NNRtExecutionProvider") continue;
    const char* const type = api->GetKeyValue(api->EpDevice_EpMetadata(devices[i]), "type");
    if (type != nullptr && type == kind) return devices[i];
  }
  return nullptr;
}

OrtSession* open(OrtEnv* env, const OrtEpDevice* device, const std::string& bytes) {
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  CHECK(CreateSessionOptions(&options));
  CHECK(AddSessionConfigEntry(options, "session.disable_cpu_ep_fallback", "1"));  // every node is ours
  CHECK(SessionOptionsAppendExecutionProvider_V2(options, env, &device, 1, nullptr, nullptr, 0));
  CHECK(CreateSessionFromArray(env, bytes.data(), bytes.size(), options, &session));
  api->ReleaseSessionOptions(options);
  return session;
}

// Runs with the input in `x`, which may be shared memory. If `y` is null, ONNX Runtime allocates the output.
void run(OrtSession* session, OrtValue* x, OrtValue* y, float value, size_t elements) {
  const char *input = "x", *output = "y";
  float *fed = nullptr, *made = nullptr;
  CHECK(GetTensorMutableData(x, reinterpret_cast<void**>(&fed)));
  std::fill_n(fed, elements, value);
  OrtValue* result = y;
  const OrtValue* fed_value = x;
  CHECK(Run(session, nullptr, &input, &fed_value, 1, &output, 1, &result));
  CHECK(GetTensorMutableData(result, reinterpret_cast<void**>(&made)));
  if (!std::all_of(made, made + elements, [&](float it) { return it == value - 1; }))
    fail("The result differs.");
  if (y == nullptr) api->ReleaseValue(result);
}

OrtValue* tensor(OrtAllocator* allocator, int64_t rows) {
  const std::array<int64_t, 2> shape{rows, 1024};
  OrtValue* value = nullptr;
  CHECK(CreateTensorAsOrtValue(allocator, shape.data(), shape.size(), ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                               &value));
  return value;
}

void run_shapes(OrtSession* session) {
  OrtAllocator* plain = nullptr;
  CHECK(GetAllocatorWithDefaultOptions(&plain));
  for (const int64_t rows : {2, 7, 3}) {
    OrtValue* const x = tensor(plain, rows);
    run(session, x, nullptr, static_cast<float>(rows) + 1, static_cast<size_t>(rows) * 1024);
    api->ReleaseValue(x);
  }
}

void run_shared(OrtEnv* env, const OrtEpDevice* device) {
  OrtAllocator* shared = nullptr;
  CHECK(CreateSharedAllocator(env, device, OrtDeviceMemoryType_HOST_ACCESSIBLE, OrtDeviceAllocator, nullptr,
                              &shared));
  if (shared == nullptr) fail("The device has no shared memory.");
  OrtSession* const session = open(env, device, model(4));
  OrtValue *const x = tensor(shared, 4), *const y = tensor(shared, 4);
  for (const float value : {2.0F, 5.0F, 3.0F}) run(session, x, y, value, 4 * 1024);
  api->ReleaseValue(x);
  api->ReleaseValue(y);
  api->ReleaseSession(session);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("usage: embedding LIBONNXRUNTIME PLUGIN [KIND]");
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(dlerror());
  const auto base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"))();
  std::printf("ONNX Runtime %s\n", base->GetVersionString());
  api = base->GetApi(ORT_API_VERSION);
  if (api == nullptr) fail("The library is older than its API 23.");
  OrtEnv* env = nullptr;
  CHECK(CreateEnv(ORT_LOGGING_LEVEL_ERROR, "embedding", &env));
  CHECK(RegisterExecutionProviderLibrary(env, "nnrt", argv[2]));
  CHECK(RegisterExecutionProviderLibrary(env, "nnrt again", argv[2]));
  const OrtEpDevice* const device = find_device(env, argc > 3 ? argv[3] : "cpu");
  if (device == nullptr) fail("There is no such device.");
  OrtSession* const session = open(env, device, model(-1));
  run_shapes(session);
  run_shared(env, device);
  CHECK(UnregisterExecutionProviderLibrary(env, "nnrt again"));
  run_shapes(session);
  api->ReleaseEnv(env);  // before its session
  api->ReleaseSession(session);
  std::puts("passed");
  return 0;
}
