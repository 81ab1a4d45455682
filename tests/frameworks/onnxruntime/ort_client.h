// A client of ONNX Runtime's C API, with the library and our provider given as files. The first error ends
// the process.
#pragma once

#include <onnxruntime_c_api.h>

#include <string>
#include <vector>

namespace nnrt::test {

extern const OrtApi* ort;

[[noreturn]] void fail(const std::string& what);
void check(OrtStatus* status, const char* call);
#define NNRT_ORT(call) ::nnrt::test::check(::nnrt::test::ort->call, #call)

// An environment with our provider registered as "nnrt".
OrtEnv* open_environment(const char* library, const char* plugin);

// Our provider's first device of a type: cpu, gpu or auto.
const OrtEpDevice* find_device(OrtEnv* env, const std::string& type);

// With our provider if `device` is not null. `entries`: of the session's configuration. Null: `error` says
// why.
OrtSession* open_session(OrtEnv* env, const OrtEpDevice* device, const std::string& model,
                         const std::vector<std::pair<std::string, std::string>>& entries, std::string& error,
                         int threads = 0);

// Frees the status and returns its message; empty for success.
std::string message_of(OrtStatus* status);

}  // namespace nnrt::test
