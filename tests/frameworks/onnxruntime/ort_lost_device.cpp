// ort_lost_device LIBONNXRUNTIME PLUGIN MODEL: a GPU that is lost between the runs of a session ends a run
// with an error, or another device takes over; a new session works. Exits with 1 otherwise.
#include "tests/frameworks/onnxruntime/ort_arrays.h"
#include "tests/frameworks/onnxruntime/ort_client.h"
#include "tests/support/fault_layer/fault_layer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace nnrt::test {
namespace {

// The first output, FLOAT32; empty if the run fails with `error`.
std::vector<float> run(OrtSession* session, Array& input, std::string& error) {
  const auto inputs = input_names(session), outputs = output_names(session);
  OrtMemoryInfo* memory = nullptr;
  OrtValue *fed = nullptr, *made = nullptr;
  NNRT_ORT(CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  NNRT_ORT(CreateTensorWithDataAsOrtValue(memory, input.bytes.data(), input.bytes.size(), input.shape.data(),
                                          input.shape.size(), input.type, &fed));
  error = message_of(ort->Run(session, nullptr, inputs.data(), &fed, 1, outputs.data(), 1, &made));
  std::vector<float> result;
  if (made != nullptr) {
    void* data = nullptr;
    size_t bytes = 0;
    NNRT_ORT(GetTensorMutableData(made, &data));
    NNRT_ORT(GetTensorSizeInBytes(made, &bytes));
    result.assign(static_cast<float*>(data), static_cast<float*>(data) + bytes / sizeof(float));
    ort->ReleaseValue(made);
  }
  ort->ReleaseValue(fed);
  ort->ReleaseMemoryInfo(memory);
  return result;
}

bool is_near(const std::vector<float>& got, const std::vector<float>& want) {
  return std::ranges::equal(got, want, [](float a, float b) { return std::abs(a - b) < 1e-3F; });
}

void lose(const char* library, const char* plugin, const std::string& model) {
  OrtEnv* const env = open_environment(library, plugin);
  const OrtEpDevice* const gpu = find_device(env, "gpu");
  std::string error;
  std::mt19937 random(7);
  for (int turn = 0; turn < 2; ++turn) {
    OrtSession* const session = open_session(env, gpu, model, {}, error);
    if (session == nullptr) fail(error);
    Array input = random_input(session, 0, random).value();
    const std::vector<float> want = run(session, input, error);
    if (!error.empty()) fail(error);
    fault::lose_devices();
    for (int i = 0; i < 3; ++i) {
      const std::vector<float> got = run(session, input, error);
      std::printf("run %d after the loss: %s\n", i, error.empty() ? "right" : error.c_str());
      if (error.empty() && !is_near(got, want)) fail("The result differs.");
    }
    ort->ReleaseSession(session);
    fault::reset();
  }
  ort->ReleaseEnv(env);
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  if (argc != 4) nnrt::test::fail("usage: ort_lost_device LIBONNXRUNTIME PLUGIN MODEL");
  std::ifstream file(argv[3], std::ios::binary);
  nnrt::test::lose(argv[1], argv[2], {std::istreambuf_iterator<char>(file), {}});
  std::puts("passed");
  return 0;
}
