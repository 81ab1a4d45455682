// A model built for a device; any thread may run it.
#pragma once

#include "python/native/model_reading.h"
#include "python/native/tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nnrt::python {

struct BuildOptions {
  size_t device = 0;
  bool float16 = false;
  int performance = 0, priority = 0;  // OH_NN_PerformanceMode, OH_NN_Priority
  std::string cache;                  // directory; empty: none
  bool cache_by_content = false;      // recognize the file by its contents, not by path and time stamps
  std::vector<std::pair<std::string, std::string>> configs;  // OH_NNCompilation_AddExtensionConfig
  InputShapes input_shapes;
};

// An input: the bytes of an array, or a tensor used in place.
struct Feed {
  const void* data = nullptr;
  Shape shape;
  NN_Tensor* tensor = nullptr;
};

// An executor with tensors for arrays. Used by one run at a time.
struct Session {
  import::ExecutorHandle executor;
  std::vector<import::TensorHandle> inputs, outputs;
};

class CompiledModel {
 public:
  CompiledModel(const std::string& path, bool is_offline, const BuildOptions& options);
  // From the bytes of a model file.
  CompiledModel(std::span<const std::byte> file, const BuildOptions& options);

  const std::vector<Declaration>& inputs() const { return inputs_; }
  const std::vector<Declaration>& outputs() const { return outputs_; }
  // The operator of the file for each operation in placements and traces; empty for an offline model.
  const std::vector<std::string>& operations() const { return operations_; }
  // Files attached to the model, by name.
  const AttachedFiles& files() const { return files_; }

  // Runs the model in a free session and returns it. Where `outputs` is null, the session's outputs hold
  // the results.
  std::unique_ptr<Session> run(const std::vector<Feed>& inputs, const std::vector<NN_Tensor*>& outputs);
  // The bytes of an offline model.
  std::string export_model() const;

  // Returns a session after its results were copied.
  void give_back(std::unique_ptr<Session> session);

  bool may_share(size_t input, size_t output);

 private:
  // Frees `imported` before it builds, so that weights are in memory once.
  void build_imported(ImportedHandle imported, const BuildOptions& options);
  void build_offline(const std::string& path, const BuildOptions& options);
  // Returns whether the cache has the model of this file.
  bool build_cached(const std::string& path, OH_NNRt_Identity identity, const BuildOptions& options);
  void set_note(const void* note, size_t size);
  void read_description(const OH_NNRt_ImportedModel* imported);
  void read_executor(const OH_NNExecutor* executor);
  void build(const BuildOptions& options);
  std::unique_ptr<Session> take_session();
  import::TensorHandle make_tensor(const Declaration& declared, const Shape& shape, size_t bytes) const;
  NN_Tensor* feed(Session& session, size_t index, const Feed& from) const;
  NN_Tensor* room_for(Session& session, size_t index) const;

  size_t device_ = 0;
  import::CompilationHandle compilation_;
  std::vector<Declaration> inputs_, outputs_;
  std::vector<std::string> operations_;
  AttachedFiles files_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace nnrt::python
