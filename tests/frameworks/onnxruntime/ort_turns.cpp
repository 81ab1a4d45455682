// ort_turns LIBONNXRUNTIME PLUGIN THREADS SECONDS MODEL...: how much time ONNX Runtime adds to a run on our
// CPU device, and what its own CPU takes. In one process, in turns: the runtime without ONNX Runtime, a
// session with our provider on plain and on shared memory, and a session without it. Prints a table of
// medians in milliseconds.
#include "core/memory/byte_source.h"
#include "tests/frameworks/onnxruntime/ort_arrays.h"
#include "tests/frameworks/onnxruntime/ort_client.h"
#include "tools/import/onnx/onnx_reader.h"
#include "tools/plugins/base/program.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

namespace nnrt::test {
namespace {

using Clock = std::chrono::steady_clock;
using Run = std::function<void()>;

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) fail(result.error().message);
  return std::move(result).value();
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The model without ONNX Runtime.
Run direct(const std::string& path, const std::vector<Array>& inputs) {
  const std::string file = read(path);
  auto network = must(import::read_onnx(std::as_bytes(std::span(file)), "", {}));
  const auto device = must(plugins::find_device("cpu"));
  const auto compiled = must(plugins::CompiledNetwork::build(std::move(network), device, {}, ""));
  auto program = std::make_shared<plugins::Program>(must(plugins::Program::create(compiled)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    NN_Tensor* const tensor = must(program->input(i, {inputs[i].shape.begin(), inputs[i].shape.end()}));
    std::memcpy(OH_NNTensor_GetDataBuffer(tensor), inputs[i].bytes.data(), inputs[i].bytes.size());
  }
  return [program] {
    if (const Status status = program->run(); !status.ok()) fail(status.error().message);
  };
}

OrtValue* tensor_of(OrtAllocator* allocator, const Array& array) {
  OrtValue* value = nullptr;
  void* data = nullptr;
  NNRT_ORT(CreateTensorAsOrtValue(allocator, array.shape.data(), array.shape.size(), array.type, &value));
  NNRT_ORT(GetTensorMutableData(value, &data));
  std::memcpy(data, array.bytes.data(), array.bytes.size());
  return value;
}

Array zeros_like(const OrtValue* value) {
  Array array = header_of(value);
  array.bytes.resize(count_of(array) * size_of(array.type));
  return array;
}

// From the second run on, inputs and outputs are in memory of the allocator.
Run in_session(OrtSession* session, OrtAllocator* allocator, const std::vector<Array>& inputs) {
  const auto names = input_names(session), made_names = output_names(session);
  std::vector<OrtValue*> fed, made(made_names.size());
  for (const Array& array : inputs) fed.push_back(tensor_of(allocator, array));
  NNRT_ORT(Run(session, nullptr, names.data(), fed.data(), fed.size(), made_names.data(), made.size(),
               made.data()));
  for (OrtValue*& value : made) {
    OrtValue* const bound = tensor_of(allocator, zeros_like(value));
    ort->ReleaseValue(std::exchange(value, bound));
  }
  return [=]() mutable {
    NNRT_ORT(Run(session, nullptr, names.data(), fed.data(), fed.size(), made_names.data(), made.size(),
                 made.data()));
  };
}

std::vector<double> medians(const std::vector<Run>& runs, double seconds) {
  std::vector<std::vector<double>> times(runs.size());
  for (int i = 0; i < 3; ++i)
    for (const Run& run : runs) run();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    for (size_t i = 0; i < runs.size(); ++i) {
      const auto start = Clock::now();
      runs[i]();
      times[i].push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
  }
  std::vector<double> result;
  for (auto& it : times) {
    std::ranges::nth_element(it, it.begin() + static_cast<ptrdiff_t>(it.size() / 2));
    result.push_back(it[it.size() / 2]);
  }
  return result;
}

void measure(OrtEnv* env, const std::string& path, int threads, double seconds) {
  const OrtEpDevice* const device = find_device(env, "cpu");
  const std::string model = read(path);
  std::string error;
  const auto open = [&](const OrtEpDevice* chosen) {
    OrtSession* const session = open_session(env, chosen, model, {}, error, threads);
    if (session == nullptr) fail(error);
    return session;
  };
  OrtSession *const theirs = open(nullptr), *const ours = open(device), *const of_shared = open(device);
  std::mt19937 random(7);
  std::vector<Array> inputs;
  for (size_t i = 0; i < input_names(ours).size(); ++i)
    inputs.push_back(random_input(ours, i, random).value());
  OrtAllocator *plain = nullptr, *shared = nullptr;
  NNRT_ORT(GetAllocatorWithDefaultOptions(&plain));
  NNRT_ORT(CreateSharedAllocator(env, device, OrtDeviceMemoryType_HOST_ACCESSIBLE, OrtDeviceAllocator,
                                 nullptr, &shared));
  const std::vector<double> times =
      medians({direct(path, inputs), in_session(ours, plain, inputs), in_session(of_shared, shared, inputs),
               in_session(theirs, plain, inputs)},
              seconds);
  std::printf("| %s | %.3f | %.3f (%.3f) | %.3f (%.3f) | %.3f (%.2f) |\n",
              path.substr(path.rfind('/') + 1).c_str(), times[0], times[1], times[1] / times[0], times[2],
              times[2] / times[0], times[3], times[3] / times[1]);
  std::fflush(stdout);
  ort->ReleaseSession(ours);
  ort->ReleaseSession(of_shared);
  ort->ReleaseSession(theirs);
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  using namespace nnrt::test;
  if (argc < 6) fail("usage: ort_turns LIBONNXRUNTIME PLUGIN THREADS SECONDS MODEL...");
  setenv("NNRT_THREADS", argv[3], 1);
  OrtEnv* const env = open_environment(argv[1], argv[2]);
  std::puts(
      "| model | runtime | session | session, shared memory | ONNX Runtime's CPU |\n| --- | --- | --- | --- "
      "| --- |");
  for (int i = 5; i < argc; ++i) measure(env, argv[i], std::atoi(argv[3]), std::atof(argv[4]));
  return 0;
}
