// Shell completion, evaluated by bash.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

using namespace tool_tests;

namespace {

std::string completion_for(const std::string& shell) {
  const Folder folder;
  EXPECT_EQ(std::system((NNRT_MANUAL " " + shell + " >" + folder.file("out")).c_str()), 0);
  return read(folder.file("out"));
}

class BashCompletion : public testing::Test {
 protected:
  BashCompletion() {
    write(folder_.file("nnrt.bash"), completion_for("bash"));
    write(folder_.file("model.onnx"), "");
  }

  // `words` as split by bash; completes the last one.
  std::string offered(const std::string& words) {
    const std::string script =
        ". ./nnrt.bash; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _nnrt; echo \"${COMPREPLY[*]}\" >out";
    EXPECT_EQ(std::system(("cd " + folder_.path() + " && bash -c '" + script + "'").c_str()), 0);
    std::string out = read(folder_.file("out"));
    if (!out.empty()) out.pop_back();
    return out;
  }

 private:
  const Folder folder_;
};

size_t count(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

}  // namespace

TEST_F(BashCompletion, OffersCommandsAlsoBehindHelp) {
  EXPECT_EQ(offered("nnrt pr"), "profile");
  EXPECT_EQ(offered("nnrt help pr"), "profile");
}

TEST_F(BashCompletion, OffersOptionValues) {
  EXPECT_EQ(offered("nnrt run --device g"), "gpu");
  EXPECT_EQ(offered("nnrt run --compare c"), "cpu");
  EXPECT_EQ(offered("nnrt quantize --ranges m"), "minmax mse");
  EXPECT_EQ(offered("nnrt generate --device-local o"), "on off");
  EXPECT_EQ(offered("nnrt run --device = g"), "gpu");
}

TEST_F(BashCompletion, CompletesTheLastOfAListOfDevices) {
  EXPECT_EQ(offered("nnrt bench --devices gpu,c"), "gpu,cpu");
  EXPECT_EQ(offered("nnrt compare --devices gpu,"), "gpu,gpu gpu,cpu gpu,auto");
}

TEST_F(BashCompletion, OffersFiles) {
  EXPECT_EQ(offered("nnrt run mo"), "model.onnx");
  EXPECT_EQ(offered("nnrt run --json mo"), "model.onnx");
  EXPECT_EQ(offered("nnrt run --input x = mo"), "model.onnx");
  EXPECT_EQ(offered("nnrt generate --tokenizer mo"), "model.onnx");
  EXPECT_EQ(offered("nnrt generate --tokenizer by"), "bytes");
  EXPECT_EQ(offered("nnrt run --runs mo"), "");
  EXPECT_EQ(offered("nnrt run --jso"), "--json");
}

TEST(ZshCompletion, TakesNoValueForAFlag) {
  const std::string text = completion_for("zsh");
  for (const char* flag :
       {"--json", "--help", "--fp16", "--no-fallback", "--kernels", "--layers", "--async"}) {
    const std::regex with_value("'\\*" + std::string(flag) + "\\[[^\\n]*\\]:value[^\\n]*\\n");
    EXPECT_FALSE(std::regex_search(text, with_value)) << flag;
    EXPECT_GT(count(text, "'*" + std::string(flag) + "["), 0u) << flag;
  }
}

TEST(ZshCompletion, OffersOptionValues) {
  const std::string text = completion_for("zsh");
  EXPECT_TRUE(std::regex_search(
      text, std::regex("'\\*--compare\\[[^\\n]*:value:\\{compadd -- gpu cpu auto; _files\\}' ")));
  EXPECT_TRUE(std::regex_search(
      text, std::regex("'\\*--devices\\[[^\\n]*:value:\\{_values -s , value gpu cpu auto\\}' ")));
  EXPECT_TRUE(has(text, "'1:command:(devices "));
  const size_t accuracy = text.find("\n    accuracy)");
  ASSERT_NE(accuracy, text.npos);
  EXPECT_EQ(count(text.substr(accuracy, text.find(";;", accuracy) - accuracy), "'*:file:_files'"), 1u);
  EXPECT_EQ(text.find('`'), text.npos);
  EXPECT_TRUE(has(text, R"(CPU device)"));
}

// Quotes are balanced for every shell.
TEST(ZshCompletion, IsWellFormed) {
  const Folder folder;
  write(folder.file("_nnrt"), completion_for("zsh"));
  const std::string shell = std::system("command -v zsh >/dev/null") == 0 ? "zsh" : "bash";
  EXPECT_EQ(std::system((shell + " -n " + folder.file("_nnrt")).c_str()), 0) << shell;
}
