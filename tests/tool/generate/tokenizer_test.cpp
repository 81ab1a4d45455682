#include "tools/nnrt/generate/tokenizer.h"

#include "core/base/text.h"
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

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

// Each line: a small tokenizer.json, texts, and what the tokenizers library makes of them.
TEST_F(TokenizerFile, AgreesWithTheTokenizersLibrary) {
  std::ifstream lines(NNRT_TEST_DATA "/text/tokenizers.jsonl");
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json golden = json::parse(line);
    SCOPED_TRACE(golden["name"]);
    const auto tokenizer = make(golden["file"]);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
    for (const json& expected : golden["cases"]) {
      SCOPED_TRACE(expected["text"]);
      const Result<Tokens> tokens = tokenizer.value()->encode(expected["text"].get<std::string>());
      ASSERT_TRUE(tokens.ok()) << tokens.error().message;
      EXPECT_EQ(tokens.value(), expected["tokens"].get<Tokens>());
      if (!expected.contains("decoded")) continue;
      std::string text;
      for (const int64_t token : tokens.value()) text += tokenizer.value()->decode(token);
      if (tokenizer.value()->adds_space() && text.starts_with(' ')) text.erase(0, 1);
      EXPECT_EQ(text, expected["decoded"].get<std::string>());
    }
  }
  EXPECT_EQ(count, 20u);
}

TEST_F(TokenizerFile, LeavesOutTheTemplateForAChat) {
  json file = small_tokenizer();
  const json special = {{"SpecialToken", {{"id", "<end>"}}}}, sequence = {{"Sequence", {{"id", "A"}}}};
  file["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single", {special, sequence, special}},
                            {"special_tokens", {{"<end>", {{"ids", {50}}}}}}};
  EXPECT_EQ(encode(file, "he"), (Tokens{50, 6, 50}));
  EXPECT_EQ(make(file).value()->encode("he<end>", false).value(), (Tokens{6, 50}));
}

TEST_F(TokenizerFile, RefusesWhatItDoesNotHave) {
  const auto refusal = [&](const json& change) {
    json file = small_tokenizer();
    file.merge_patch(change);
    return make(file).error().message;
  };
  const auto kind = [](const char* type) { return json{{"type", type}}; };
  const auto pattern = [](const char* regex) {
    const json split = {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}};
    return json{{"pre_tokenizer", split}};
  };
  EXPECT_EQ(refusal({{"normalizer", kind("Nmt")}}), "A tokenizer with the normalizer Nmt is not supported.");
  EXPECT_EQ(refusal({{"model", kind("WordPiece")}}),
            "A tokenizer with the model WordPiece is not supported.");
  EXPECT_EQ(refusal({{"pre_tokenizer", kind("BertPreTokenizer")}}),
            "A tokenizer with the pre-tokenizer BertPreTokenizer is not supported.");
  EXPECT_EQ(refusal({{"post_processor", kind("BertProcessing")}}),
            "A tokenizer with the post-processor BertProcessing is not supported.");
  EXPECT_EQ(refusal({{"decoder", kind("CTC")}}), "A tokenizer with the decoder CTC is not supported.");
  EXPECT_EQ(refusal({{"model", {{"end_of_word_suffix", "</w>"}}}}),
            "A tokenizer with the option end_of_word_suffix is not supported.");
  EXPECT_EQ(refusal({{"added_tokens", {{{"id", 50}, {"content", "<end>"}, {"single_word", true}}}}}),
            "A tokenizer with the added token of a single word, <end> is not supported.");
  for (const char* part : {"\\w", "[^", "&&", "[:", "{,", "}+"}) {
    const std::string regex =
        part[0] == '[' || part[0] == '&' ? cat("[a", part, "b]]") : cat("a", part, "2}");
    EXPECT_EQ(refusal(pattern(regex.c_str())),
              cat("A tokenizer with (", part, ") in a pattern is not supported."));
  }
  json nested = kind("NFC");
  for (int i = 0; i < 20; ++i) nested = {{"type", "Sequence"}, {"normalizers", {nested}}};
  EXPECT_EQ(refusal({{"normalizer", nested}}),
            "A tokenizer with the step in so many sequences is not supported.");
  EXPECT_TRUE(tool_tests::has(refusal(pattern("(")), "The tokenizer's pattern is invalid at 1"));
  EXPECT_EQ(refusal({{"normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}}}}),
            "The tokenizer's character map is damaged.");
  EXPECT_TRUE(
      tool_tests::has(refusal({{"model", {{"merges", {"h x"}}}}}), "The tokenizer merges (h) and (x)"));
  EXPECT_TRUE(tool_tests::has(make(json::array()).error().message, "is not a tokenizer.json"));
  for (const double id : {0.5, 2e57})
    EXPECT_TRUE(tool_tests::has(refusal({{"model", {{"vocab", {{"h", id}}}}}}), "is not a tokenizer.json"));
  tool_tests::write(folder_.file("text"), "no JSON");
  EXPECT_TRUE(tool_tests::has(make_tokenizer(folder_.file("text")).error().message, "is not JSON"));
}

// The reference library prefixes each part of 1/2 (U+00BD).
TEST_F(TokenizerFile, RefusesAFirstCharacterThatNormalizesToSeveral) {
  json file = small_tokenizer();
  file["normalizer"] = {{"type", "NFKC"}};
  const json metaspace = {{"type", "Metaspace"}, {"prepend_scheme", "first"}, {"replacement", "w"}};
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers", {{{"type", "WhitespaceSplit"}}, metaspace}}};
  const auto tokenizer = make(file).value();
  EXPECT_EQ(tokenizer->encode("hello").value(), (Tokens{4, 9}));
  EXPECT_EQ(tokenizer->encode("\u00bd").error().message,
            "A text that begins with (\u00bd) is not supported by this tokenizer.");
}

TEST_F(TokenizerFile, HasNoTokenForEveryText) {
  EXPECT_EQ(make(small_tokenizer()).value()->encode("x").error().message, "The tokenizer has no token (x).");
}

}  // namespace
}  // namespace nnrt::tool
