#include "tools/nnrt/generate/tokenizer.h"

#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace nnrt::tool {
namespace {

using nlohmann::json;

// A small tokenizer with the merges "he", "ll", "hell", "hello" and " w". U+0120 stands for a space.
json small_tokenizer() {
  json file;
  file["model"]["type"] = "BPE";
  const char* tokens[] = {"h",  "e",    "l",     "o",       "w", "\u0120", "he",
                          "ll", "hell", "hello", "\u0120w", "!", "\u00c3", "\u00a9"};
  for (int id = 0; const char* token : tokens) file["model"]["vocab"][token] = id++;
  file["model"]["merges"] = {"h e", "l l", "he ll", "hell o", "\u0120 w"};
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}};
  file["added_tokens"] = {{{"id", 50}, {"content", "<end>"}}};
  return file;
}

class TokenizerFile : public testing::Test {
 protected:
  Result<std::unique_ptr<Tokenizer>> make(const json& file) {
    const std::string path = folder_.file("tokenizer.json");
    tool_tests::write(path, file.dump());
    return make_tokenizer(path);
  }
  Tokens encode(const json& file, std::string_view text) { return make(file).value()->encode(text).value(); }

  tool_tests::Folder folder_;
};

TEST(ByteTokens, AreTheBytes) {
  const auto tokenizer = make_tokenizer("bytes").value();
  EXPECT_EQ(tokenizer->encode("a\xff").value(), (Tokens{97, 255}));
  EXPECT_EQ(tokenizer->decode(97), "a");
  EXPECT_EQ(tokenizer->decode(256), "");
  EXPECT_EQ(tokenizer->decode(-1), "");
}

TEST_F(TokenizerFile, MergesByRankWithinWords) {
  EXPECT_EQ(encode(small_tokenizer(), "hello"), (Tokens{9}));
  EXPECT_EQ(encode(small_tokenizer(), "hello wo!"), (Tokens{9, 10, 3, 11}));
  EXPECT_EQ(encode(small_tokenizer(), "ollhe"), (Tokens{3, 7, 6}));
  EXPECT_EQ(encode(small_tokenizer(), ""), Tokens{});
}

TEST_F(TokenizerFile, KnowsAddedTokensAndPartsOfCharacters) {
  EXPECT_EQ(encode(small_tokenizer(), "he<end>\u00e9"), (Tokens{6, 50, 12, 13}));
  const auto tokenizer = make(small_tokenizer()).value();
  EXPECT_EQ(tokenizer->decode(10), " w");
  EXPECT_EQ(tokenizer->decode(12) + tokenizer->decode(13), "\u00e9");
  EXPECT_EQ(tokenizer->decode(50), "<end>");
  EXPECT_EQ(tokenizer->decode(99), "");
}

TEST_F(TokenizerFile, SplitsByTheFilesPattern) {
  json file = small_tokenizer();
  const json split = {
      {"type", "Split"}, {"pattern", {{"Regex", "l"}}}, {"behavior", "Isolated"}, {"invert", false}};
  const json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  file["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}};
  EXPECT_EQ(encode(file, "hello"), (Tokens{6, 2, 2, 3}));
}

TEST_F(TokenizerFile, PutsTheTemplatesTokensAround) {
  json file = small_tokenizer();
  const json special = {{"SpecialToken", {{"id", "<end>"}}}}, sequence = {{"Sequence", {{"id", "A"}}}};
  file["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single", {special, sequence}},
                            {"special_tokens", {{"<end>", {{"ids", {50}}}}}}};
  EXPECT_EQ(encode(file, "he"), (Tokens{50, 6}));
}

TEST_F(TokenizerFile, RefusesWhatItDoesNotHave) {
  json file = small_tokenizer();
  file["normalizer"] = {{"type", "NFKC"}};
  EXPECT_EQ(make(file).error().message, "A tokenizer with the normalizer NFKC is not supported.");
  file = small_tokenizer();
  file["model"]["type"] = "Unigram";
  EXPECT_EQ(make(file).error().message, "A tokenizer with the model Unigram is not supported.");
  file = small_tokenizer();
  file["pre_tokenizer"] = {{"type", "Metaspace"}};
  EXPECT_EQ(make(file).error().message, "A tokenizer with the pre-tokenizer Metaspace is not supported.");
  EXPECT_NE(make(json::array()).error().message.find("is not a tokenizer.json"), std::string::npos);
  tool_tests::write(folder_.file("text"), "no JSON");
  EXPECT_NE(make_tokenizer(folder_.file("text")).error().message.find("is not JSON"), std::string::npos);
}

TEST_F(TokenizerFile, HasNoTokenForEveryText) {
  EXPECT_EQ(make(small_tokenizer()).value()->encode("x").error().message, "The tokenizer has no token (x).");
}

}  // namespace
}  // namespace nnrt::tool
