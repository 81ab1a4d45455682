// Extension configs that report what the runtime did.
#include "tests/unit/api/api_test_handles.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <string>

using namespace api_tests;
using nlohmann::json;

namespace {

std::string path_of(const char* what) {
  return testing::TempDir() + "nnrt_api_" + what + "_" + std::to_string(getpid()) + ".json";
}

Compilation compilation_with(const char* config, const std::string& value) {
  Compilation compilation(OH_NNCompilation_Construct(finished_model({5}).get()));
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), config, value.c_str(), value.size()),
            OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return compilation;
}

std::multiset<std::string> names_in(const std::string& path) {
  std::ifstream file(path);
  std::multiset<std::string> names;
  const json trace = json::parse(file);
  for (const json& event : trace.at("traceEvents")) names.insert(event.at("name"));
  return names;
}

}  // namespace

TEST(TraceConfig, TracesFromBuildUntilTheLastExecutorGoes) {
  const std::string path = path_of("trace");
  Compilation compilation = compilation_with("nnrt.trace", path);
  Executor executor(OH_NNExecutor_Construct(compilation.get()));
  compilation.reset();
  const Tensor x = tensor_of({5}, {1, -2, 3, -4, 5}), y = tensor_of({5});
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS);
  executor.reset();
  tensor_of({5});
  const auto names = names_in(path);
  EXPECT_EQ(names.count("build"), 1u);
  EXPECT_EQ(names.count("OH_NNExecutor_RunSync"), 1u);
  EXPECT_EQ(names.count("partition"), 2u) << "a step of Build, and a run";
  EXPECT_EQ(names.count("OH_NNTensor_Create"), 2u) << "those during the trace";
  std::remove(path.c_str());
}

TEST(TraceConfig, IgnoresUnwritablePath) {
  EXPECT_NE(compilation_with("nnrt.trace", "/nowhere/trace.json"), nullptr);
}

TEST(PlacementConfig, WritesOneObjectPerBuild) {
  const std::string path = path_of("placement");
  for (int i = 0; i < 2; ++i) compilation_with("nnrt.placement", path);
  std::ifstream file(path);
  std::string line;
  int lines = 0;
  for (; std::getline(file, line); ++lines) EXPECT_EQ(json::parse(line).at("nodes").size(), 2u);
  EXPECT_EQ(lines, 2);
  std::remove(path.c_str());
}
