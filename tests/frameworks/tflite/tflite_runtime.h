// A TensorFlow Lite library and the delegate, both loaded at run time: the same program tests every version.
#pragma once

#include <tensorflow/lite/c/c_api.h>
#include <tensorflow/lite/core/c/common.h>
#include <tensorflow/lite/profiling/telemetry/c/profiler.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nnrt::test {

// The library's C API.
struct TfliteApi {
  decltype(&TfLiteVersion) version;
  decltype(&TfLiteModelCreateFromFile) model_create_from_file;
  decltype(&TfLiteModelDelete) model_delete;
  decltype(&TfLiteInterpreterOptionsCreate) options_create;
  decltype(&TfLiteInterpreterOptionsDelete) options_delete;
  decltype(&TfLiteInterpreterOptionsAddDelegate) options_add_delegate;
  decltype(&TfLiteInterpreterOptionsSetErrorReporter) options_set_error_reporter;
  decltype(&TfLiteInterpreterOptionsSetNumThreads) options_set_num_threads;
  // Null in versions that lack it.
  void (*options_set_profiler)(TfLiteInterpreterOptions*, TfLiteTelemetryProfilerStruct*);
  decltype(&TfLiteInterpreterCreate) interpreter_create;
  decltype(&TfLiteInterpreterDelete) interpreter_delete;
  decltype(&TfLiteInterpreterAllocateTensors) allocate_tensors;
  decltype(&TfLiteInterpreterInvoke) invoke;
  decltype(&TfLiteInterpreterResizeInputTensor) resize_input_tensor;
  TfLiteStatus (*reset_variable_tensors)(TfLiteInterpreter*);
  TfLiteStatus (*modify_graph)(const TfLiteInterpreter*, TfLiteDelegate*);
  decltype(&TfLiteInterpreterGetInputTensorCount) input_count;
  decltype(&TfLiteInterpreterGetInputTensor) input;
  decltype(&TfLiteInterpreterGetOutputTensorCount) output_count;
  decltype(&TfLiteInterpreterGetOutputTensor) output;
};

// Throws std::runtime_error if the file lacks a function.
TfliteApi load_tflite(const std::string& file);

using DelegateSettings = std::vector<std::pair<std::string, std::string>>;

// The two functions of an external delegate.
class DelegateLibrary {
 public:
  explicit DelegateLibrary(const std::string& file);
  // Throws what the delegate reports.
  std::shared_ptr<TfLiteDelegate> create(const DelegateSettings& settings) const;

 private:
  TfLiteDelegate* (*create_)(char**, char**, size_t, void (*)(const char*));
  void (*destroy_)(TfLiteDelegate*);
};

// What the delegate took in the last graph that it prepared on this thread.
struct Taken {
  int nodes = 0, all_nodes = 0, partitions = 0;
};

struct Setup {
  TfLiteTelemetryProfilerStruct* profiler = nullptr;
  int threads = -1;  // the interpreter's choice
};

// An interpreter, with a delegate unless that is null.
class Session {
 public:
  Session(const TfliteApi& api, const std::string& model, std::shared_ptr<TfLiteDelegate> delegate,
          const Setup& setup = {});

  TfLiteInterpreter* interpreter() const { return interpreter_.get(); }
  const Taken& taken() const { return taken_; }
  int inputs() const { return api_.input_count(interpreter()); }
  TfLiteTensor& input(int i) const { return *api_.input(interpreter(), i); }
  int outputs() const { return api_.output_count(interpreter()); }
  const TfLiteTensor& output(int i) const { return *api_.output(interpreter(), i); }

  // Afterwards; the delegate must outlive the session.
  TfLiteStatus apply(TfLiteDelegate& delegate) { return api_.modify_graph(interpreter(), &delegate); }
  void resize(int input, const std::vector<int>& shape);
  void allocate();
  // The given bytes, twice for a batch of two; inputs of other sizes get random numbers, the same for a seed.
  void fill(const std::vector<std::string>& bytes, unsigned seed);
  void run();
  void reset_variables() { api_.reset_variable_tensors(interpreter()); }

 private:
  const TfliteApi& api_;
  std::shared_ptr<TfLiteDelegate> delegate_;
  std::unique_ptr<TfLiteModel, decltype(&TfLiteModelDelete)> model_;
  std::unique_ptr<TfLiteInterpreter, decltype(&TfLiteInterpreterDelete)> interpreter_;
  Taken taken_;
};

// What interpreters and delegates have reported on this thread since the last session or run began.
const std::string& last_report();

// The largest difference of results: of floats relative to the largest magnitude, of integers in steps.
struct Difference {
  double floats = 0, steps = 0;
};
Difference difference(const Session& a, const Session& b);
// From FLOAT32 outputs.
Difference difference(const std::vector<std::string>& expected, const Session& got);

}  // namespace nnrt::test
