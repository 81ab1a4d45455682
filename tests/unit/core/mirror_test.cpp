// Unit tests mirror the tree: each lies where the file that it tests does and has its name. No two files of
// the tree have one base name, so that a name says which file is meant.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

struct Mirror {
  std::string tests, area;
};

const std::vector<Mirror>& mirrors() {
  static const std::vector<Mirror> all{{"tests/unit/core", "core"},
                                       {"tests/unit/cpu", "backends/cpu"},
                                       {"tests/unit/nnapi", "nnapi"},
                                       {"tests/unit/vulkan", "backends/vulkan"},
                                       {"tests/tool", "tools/nnrt"}};
  return all;
}

// Tests of what several files do together, or of the tree itself.
const std::set<std::string> kTopics{
    "tests/tool/base/json_output_test",
    "tests/tool/command/cache_option_test",
    "tests/tool/command/case_files_test",
    "tests/tool/command/completion_test",
    "tests/tool/command/digits_test",
    "tests/tool/command/hostile_models_test",
    "tests/tool/command/number_options_test",
    "tests/tool/command/run_files_test",
    "tests/tool/image/image_format_test",
    "tests/tool/plan/layer_groups_test",
    "tests/tool/quantize/quantize_tflite_test",
    "tests/tool/session/cache_folder_test",
    "tests/unit/core/citations_test",
    "tests/unit/core/layering_test",
    "tests/unit/core/mirror_test",
    "tests/unit/core/pages_test",
    "tests/unit/core/passes/simplify/simplify_layout_test",
    "tests/unit/core/rooms_test",
    "tests/unit/core/runtime/concurrent_executions_test",
    "tests/unit/core/runtime/golden_rejects_test",
    "tests/unit/core/runtime/overlap_test",
    "tests/unit/core/runtime/partitioned_graph_test",
    "tests/unit/core/schema/boxes/box_selections_test",
    "tests/unit/core/schema/operation_counts_test",
    "tests/unit/core/schema/operators/operators_test",
    "tests/unit/core/schema/random_invalid_node_test",
    "tests/unit/core/schema/random_node_test",
    "tests/unit/cpu/engine/cpu_allocations_test",
    "tests/unit/cpu/engine/cpu_corrupted_nodes_test",
    "tests/unit/cpu/engine/cpu_in_place_test",
    "tests/unit/cpu/engine/cpu_linear_algebra_test",
    "tests/unit/cpu/engine/cpu_restore_test",
    "tests/unit/cpu/gemm/gemm_post_ops_test",
    "tests/unit/nnapi/abi_of_nnapi_test",
    "tests/unit/nnapi/builder/golden_models_test",
    "tests/unit/nnapi/execution/random_calls_test",
    "tests/unit/nnapi/operations/notation_test",
    "tests/unit/vulkan/program/vulkan_corrupted_nodes_test",
};

fs::path root() { return NNRT_SOURCE_DIR; }

std::vector<fs::path> sources_in(const std::string& folder) {
  static const std::set<std::string> extensions{".h", ".cpp", ".comp", ".glsl"};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root() / folder))
    if (extensions.contains(entry.path().extension().string()))
      files.push_back(entry.path().lexically_relative(root()));
  return files;
}

// Returns what is wrong with the place or the name of a test, or an empty string.
std::string misplaced(const Mirror& mirror, const fs::path& test) {
  const fs::path folder = mirror.area / test.parent_path().lexically_relative(mirror.tests);
  const std::string stem = test.stem().string();
  if (!fs::is_directory(root() / folder)) return test.string() + " mirrors no folder of " + mirror.area;
  if (!stem.ends_with("_test") || kTopics.contains((test.parent_path() / stem).generic_string())) return {};
  const std::string tested = stem.substr(0, stem.size() - 5);
  for (const char* extension : {".h", ".cpp"})
    if (fs::exists(root() / folder / (tested + extension))) return {};
  return test.string() + " tests no " + (folder / tested).generic_string() +
         ".{h,cpp}: give it the name of what it tests, or list it as a topic";
}

}  // namespace

TEST(Mirror, TestsHaveThePlaceAndTheNameOfWhatTheyTest) {
  for (const Mirror& mirror : mirrors()) {
    const std::vector<fs::path> tests = sources_in(mirror.tests);
    EXPECT_GT(tests.size(), 10u) << mirror.tests;
    for (const fs::path& test : tests) {
      if (test.parent_path() == mirror.tests && !test.stem().string().ends_with("_test")) continue;
      EXPECT_EQ(misplaced(mirror, test), "");
    }
  }
}

TEST(Mirror, IsToldOfATestInAnotherPlace) {
  const Mirror core{"tests/unit/core", "core"};
  EXPECT_EQ(misplaced(core, "tests/unit/core/base/text_test.cpp"), "");
  EXPECT_NE(misplaced(core, "tests/unit/core/graph/text_test.cpp"), "");
  EXPECT_NE(misplaced(core, "tests/unit/core/words/text_test.cpp"), "");
}

TEST(Mirror, NamesTopicsThatAreThere) {
  for (const std::string& topic : kTopics) EXPECT_TRUE(fs::exists(root() / (topic + ".cpp"))) << topic;
}

TEST(FileNames, AreOfOneFileEach) {
  std::map<std::string, fs::path> folders;
  for (const char* part :
       {"api", "backends", "bench", "core", "examples", "nnapi", "python", "shaders", "tests", "tools"}) {
    for (const fs::path& file : sources_in(part)) {
      const std::string name = file.generic_string();
      if (name.find("/include/") != name.npos && !name.starts_with("shaders/")) continue;  // clients' names
      if (name.starts_with("tests/conformance/runner/") || name.starts_with("tests/nnapi/runner/"))
        continue;  // kept as they came
      const auto [found, is_new] = folders.emplace(file.stem().string(), file.parent_path());
      EXPECT_TRUE(is_new || found->second == file.parent_path()) << file << " and one in " << found->second;
    }
  }
}

}  // namespace nnrt::test
