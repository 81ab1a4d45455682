#include "tests/frameworks/onnxruntime/ort_client.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace nnrt::test {

const OrtApi* ort = nullptr;

void fail(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

std::string message_of(OrtStatus* status) {
  if (status == nullptr) return "";
  const std::string message = ort->GetErrorMessage(status);
  ort->ReleaseStatus(status);
  return message.empty() ? "an error without a message" : message;
}

void check(OrtStatus* status, const char* call) {
  if (status != nullptr) fail(std::string(call) + ": " + message_of(status));
}

OrtEnv* open_environment(const char* library, const char* plugin) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) fail(dlerror());
  const auto base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(loaded, "OrtGetApiBase"))();
  std::printf("ONNX Runtime %s\n", base->GetVersionString());
  ort = base->GetApi(ORT_API_VERSION);
  if (ort == nullptr) fail("The library is older than its API 23.");
  OrtEnv* env = nullptr;
  NNRT_ORT(CreateEnv(ORT_LOGGING_LEVEL_FATAL, "client", &env));
  NNRT_ORT(RegisterExecutionProviderLibrary(env, "nnrt", plugin));
  return env;
}

const OrtEpDevice* find_device(OrtEnv* env, const std::string& type) {
  const OrtEpDevice* const* devices = nullptr;
  size_t count = 0;
  NNRT_ORT(GetEpDevices(env, &devices, &count));
  for (size_t i = 0; i < count; ++i) {
    if (std::string(ort->EpDevice_EpName(devices[i])) != "NNRtExecutionProvider") continue;
    const char* const found = ort->GetKeyValue(ort->EpDevice_EpMetadata(devices[i]), "type");
    if (found != nullptr && found == type) return devices[i];
  }
  fail("There is no device of type " + type + ".");
}

OrtSession* open_session(OrtEnv* env, const OrtEpDevice* device, const std::string& model,
                         const std::vector<std::pair<std::string, std::string>>& entries, std::string& error,
                         int threads) {
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  NNRT_ORT(CreateSessionOptions(&options));
  NNRT_ORT(SetIntraOpNumThreads(options, threads));
  for (const auto& [key, value] : entries)
    NNRT_ORT(AddSessionConfigEntry(options, key.c_str(), value.c_str()));
  if (device != nullptr)
    NNRT_ORT(SessionOptionsAppendExecutionProvider_V2(options, env, &device, 1, nullptr, nullptr, 0));
  error = message_of(ort->CreateSessionFromArray(env, model.data(), model.size(), options, &session));
  ort->ReleaseSessionOptions(options);
  return session;
}

}  // namespace nnrt::test
