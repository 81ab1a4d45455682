// The parts include each other as docs/architecture.md draws it. Nothing that ships asserts: what guards
// memory is checked in every build (core/base/check.h).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace nnrt {
namespace {

namespace fs = std::filesystem;

struct Rule {
  std::string folder;
  std::string forbidden;  // matches text between the quotes or brackets of an #include
};

constexpr const char* kAsserts = "cassert|assert\\.h";

class Layering : public testing::TestWithParam<Rule> {};

TEST_P(Layering, HoldsInEveryFile) {
  const std::regex include(R"re(\s*#\s*include\s*["<]([^">]+)[">].*)re");
  const std::regex forbidden(GetParam().forbidden);
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(NNRT_SOURCE_DIR) / GetParam().folder)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    ++files;
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
      if (!std::regex_match(line, match, include)) continue;
      EXPECT_FALSE(std::regex_match(match[1].str(), forbidden)) << entry.path() << " includes " << match[1];
    }
  }
  EXPECT_GT(files, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, Layering,
    testing::Values(
        Rule{"core", "(api|nnapi|android|backends|neural_network_runtime|vulkan|Eigen|spirv_cross)/.*"},
        Rule{"api", "(nnapi|android|vulkan|Eigen|spirv_cross)/.*|backends/.*"},
        Rule{"nnapi", "(api|backends|neural_network_runtime|vulkan|Eigen|spirv_cross)/.*"},
        Rule{"backends", "(nnapi|android)/.*"},
        Rule{"backends/cpu",
             "(api|vulkan|spirv_cross|neural_network_runtime)/.*|backends/(host|vulkan|plugin)/.*"},
        Rule{"backends/vulkan", "(api|Eigen|neural_network_runtime)/.*|backends/(cpu|host|plugin)/.*"},
        Rule{"backends/host",
             "(api|vulkan|Eigen|spirv_cross|neural_network_runtime)/.*|backends/(cpu|vulkan|plugin)/.*"},
        Rule{"backends/plugin",
             "(api|vulkan|Eigen|spirv_cross)/.*|backends/(cpu|host|vulkan)/.*|"
             "neural_network_runtime/(?!hdi/).*"},
        Rule{"tools/import/tflite", "core/(?!base/(result|fp16)\\.h).*|(api|backends|vulkan|Eigen)/.*"},
        Rule{"tools/import", "backends/(?!cpu/base/(kernel|empty_nodes)\\.h).*|(api|vulkan|Eigen)/.*"},
        Rule{"tools/nnrt",
             "core/(?!(base/(result|text|printable|fp16)|platform/"
             "(atomic_file|descriptor))\\.h).*|(api|backends|vulkan|Eigen)/.*"},
        Rule{"python", "(core|backends|api|vulkan|Eigen)/.*|tools/(?!import/nn_handles\\.h).*"},
        Rule{"examples", "(core|backends|api)/.*"}, Rule{"core", kAsserts}, Rule{"api", kAsserts},
        Rule{"nnapi", kAsserts}, Rule{"backends", kAsserts}, Rule{"tools", kAsserts},
        Rule{"python", kAsserts}));

}  // namespace
}  // namespace nnrt
