// Helpers for cache tests: directories, files, and models that differ in the result of a run.
#pragma once

#include "tests/support/read_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/api/api_test_handles.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace api_tests {

namespace fs = std::filesystem;

class TemporaryDirectory : public nnrt::test::TemporaryFolder {
 public:
  std::string container(const std::string& model = "") const { return file(model + "0.nncache"); }
  std::string info(const std::string& model = "") const { return file(model + "cache_info.nncache"); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }
};

inline std::string contents(const std::string& path) { return nnrt::test::read_file(path); }

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A replaced file counts as different, even with the same bytes.
inline ino_t number_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_ino;
}

// y = a + summand, with `count` elements.
inline Model summand_model(float summand, int32_t count = 5) {
  Model model(OH_NNModel_Construct());
  for (const char* name : {"a", "summand", "y"})
    OH_NNModel_AddTensorToModel(model.get(), desc_of({count}, OH_NN_FLOAT32, name).get());
  const std::vector<float> data(static_cast<size_t>(count), summand);
  OH_NNModel_SetTensorData(model.get(), 1, data.data(), data.size() * sizeof(float));
  add_operation(model, OH_NN_OPS_ADD, {0, 1}, {2});
  finish(model, {0}, {2});
  return model;
}

// The summand of a built compilation of such a model.
inline float summand_of(const Compilation& compilation, int32_t count = 5) {
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  if (!executor) return -1;
  const auto elements = static_cast<size_t>(count);
  const Tensor a = tensor_of({count}, std::vector<float>(elements, 1)), y = tensor_of({count});
  EXPECT_EQ(run(executor.get(), {a.get()}, {y.get()}), OH_NN_SUCCESS);
  return values_of(y, elements).back() - 1;
}

inline Compilation compilation_of(const Model& model) {
  return Compilation(OH_NNCompilation_Construct(model.get()));
}
inline Compilation for_cache() { return Compilation(OH_NNCompilation_ConstructForCache()); }

inline OH_NN_ReturnCode build(const Compilation& compilation) {
  return OH_NNCompilation_Build(compilation.get());
}

inline OH_NN_ReturnCode build_with_cache(const Compilation& compilation, const std::string& path,
                                         uint32_t version) {
  EXPECT_EQ(OH_NNCompilation_SetCache(compilation.get(), path.c_str(), version), OH_NN_SUCCESS);
  return build(compilation);
}

inline std::string exported(const Compilation& compilation) {
  size_t size = 0;
  std::string bytes(1, '\0');
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), bytes.data(), 1, &size),
            OH_NN_INVALID_PARAMETER);
  bytes.resize(size);
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), bytes.data(), size, &size),
            OH_NN_SUCCESS);
  EXPECT_EQ(size, bytes.size());
  return bytes;
}

// What an export to a large buffer returns.
inline OH_NN_ReturnCode export_code(const Compilation& compilation) {
  size_t size = 0;
  std::string bytes(1 << 20, '\0');
  return OH_NNCompilation_ExportCacheToBuffer(compilation.get(), bytes.data(), bytes.size(), &size);
}

inline OH_NN_ReturnCode save(float summand, const std::string& path, uint32_t version, int32_t count = 5) {
  return build_with_cache(compilation_of(summand_model(summand, count)), path, version);
}

}  // namespace api_tests
