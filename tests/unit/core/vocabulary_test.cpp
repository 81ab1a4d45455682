// Names, comments and documents keep to the vocabulary of docs/glossary.md: words that this project gave up
// for the field's own stand in no identifier, no option, no comment and no page. The failure names the line
// and the word to write instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nnrt {
namespace {

namespace fs = std::filesystem;

struct Banned {
  std::string_view word;
  std::string_view instead;
  bool in_prose = false;  // also in the sentences of comments and documents, where it is no plain English
  std::vector<std::string_view>
      good;  // identifiers, or words before it in a sentence, with which it is right
};

const std::vector<Banned>& banned_words() {
  static const std::vector<Banned> words{
      {"codes",
       "quantized values, int8, or return codes",
       true,
       {"return_codes", "ReturnCodes", "kExitCodes", "error_codes", "keeps_device_error_codes",
        "RETURN_CODES", "return", "error", "exit"}},
      {"courtesy", "best_effort", true, {}},
      {"deed", "action", true, {}},
      {"deeds", "actions", true, {}},
      {"dots", "int8_dot", false, {}},
      {"eight invocations", "subgroup of 8, subgroup8", true, {}},
      {"eights", "vec8", true, {}},
      {"fact", "property", false, {}},
      {"facts", "device_info, properties", false, {}},
      {"formatted", "texel_buffer", false, {}},
      {"fours", "vec4", true, {}},
      {"halves", "fp16 values", true, {}},
      {"hardware", "device_features", false, {"hardware_concurrency", "on_hardware"}},
      {"islands", "partition cost", true, {}},
      {"keeper", "prepack", true, {}},
      {"least", "min", false, {"at_least", "at_least_1d", "at_least_vector", "require_at_least"}},
      {"most", "max", false, {"at_most"}},
      {"octet", "subgroup8", true, {}},
      {"octets", "subgroup8", true, {}},
      {"postponed", "deferred", false, {}},
      {"quick", "fast_compile", false, {}},
      {"real value", "dequantized value, float", true, {}},
      {"real values", "dequantized values, floats", true, {}},
      {"reals", "floats, dequantized", true, {}},
      {"takes", "supports", false, {}},
      {"told", "reported", false, {}},
      {"tuned", "optimized", true, {}},
      {"turned", "nhwc_layout (graph), transposed (matrix)", false, {}},
      {"twin", "nhwc_copy", true, {}},
      {"twins", "nhwc_copies", true, {}},
      {"weave", "interleave", true, {}},
      {"widen", "pad_channels", false, {"widen", "widen_block", "widen_all", "widen_scale"}},
      {"window", "spatial, pooling", false, {"sliding_window"}},
      {"windows", "spatial_params", false, {}},
      {"woven", "interleaved", true, {}},
  };
  return words;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

// "kMaxCodes_" and "max_codes" are both made of "max" and "codes" (and the k).
std::vector<std::string> words_of(const std::string& identifier) {
  static const std::regex word("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+");
  std::vector<std::string> words;
  for (std::sregex_iterator it(identifier.begin(), identifier.end(), word), end; it != end; ++it)
    words.push_back(lower(it->str()));
  return words;
}

const Banned* find_banned(const std::string& identifier) {
  static std::unordered_map<std::string, const Banned*> known;  // most words occur often
  const auto [entry, is_new] = known.try_emplace(identifier, nullptr);
  if (!is_new) return entry->second;
  for (const std::string& word : words_of(identifier)) {
    const auto found = std::ranges::find(banned_words(), word, &Banned::word);
    if (found == banned_words().end()) continue;
    if (std::ranges::find(found->good, identifier) == found->good.end()) return entry->second = &*found;
  }
  return nullptr;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Split {
  std::string code, comments;  // both with the lines of the text
};

// In the code, comments, and strings that name no option, become blanks. Names of tests are sentences and may
// use plain words.
Split split(const std::string& text) {
  std::string code = text, comments = text;
  for (char& c : comments)
    if (c != '\n') c = ' ';
  const auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < to && i < code.size(); ++i)
      if (code[i] != '\n') code[i] = ' ';
  };
  const auto move_comment = [&](size_t from, size_t to) {
    comments.replace(from, to - from, text, from, to - from);
    blank(from, to);
  };
  const auto is_option = [&](size_t from) {
    return text.compare(from, 6, "\"NNRT_") == 0 || text.compare(from, 3, "\"--") == 0;
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      move_comment(i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
      move_comment(i, end);
    } else if (text.compare(i, 3, "R\"(") == 0 || text.compare(i, 5, "R\"re(") == 0) {
      const std::string close = text[i + 2] == '(' ? ")\"" : ")re\"";
      end = std::min(text.find(close, i), text.size() - close.size()) + close.size();
      blank(i, end);
    } else if (text[i] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      ++end;
      if (!is_option(i)) blank(i, end);
      for (size_t k = i; k < end && k < code.size(); ++k)
        if (code[k] == '-')
          code[k] = text[k - 1] == '-' || text[k + 1] == '-' ? ' ' : '_';  // --at-least is at_least
    } else if (text.compare(i, 4, "TEST") == 0 &&
               (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1])))) {
      end = std::min(text.find(')', i), text.size());
      blank(std::min(text.find(',', i), end), end);
    } else if (text[i] == '\'' && i + 2 < text.size()) {
      end = text[i + 1] == '\\' ? i + 4 : text[i + 2] == '\'' ? i + 3 : i + 1;
    }
    i = end;
  }
  return {std::move(code), std::move(comments)};
}

std::string code_of(const std::string& text) { return split(text).code; }

struct Finding {
  std::string where, word, instead;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

struct Word {
  std::string text;
  size_t offset = 0;
};

// A regular expression would take ten times as long over all sources.
std::vector<Word> split_words(std::string_view text, bool (*begins)(char), bool (*continues)(char)) {
  std::vector<Word> words;
  for (size_t i = 0; i < text.size();) {
    const size_t from = i++;
    if (!begins(text[from])) continue;
    while (i < text.size() && continues(text[i])) ++i;
    words.push_back({std::string(text.substr(from, i - from)), from});
  }
  return words;
}

void find_identifiers(const fs::path& path, const std::string& code, std::vector<Finding>& findings) {
  size_t line = 1, counted = 0;
  for (const auto& [name, at] :
       split_words(code, is_letter, [](char c) { return is_letter(c) || is_digit(c); })) {
    if (name.starts_with("OH_NN") || name.starts_with("VK_") || name.starts_with("Vk") ||
        name.starts_with("Spv") || name.starts_with("ANeuralNetworks") ||
        name.starts_with("ANEURALNETWORKS_") || name == "AHardwareBuffer")
      continue;
    const Banned* const banned = find_banned(name);
    if (banned == nullptr) continue;
    line += size_t(std::count(code.begin() + ptrdiff_t(counted), code.begin() + ptrdiff_t(at), '\n'));
    counted = at;
    findings.push_back({path.string() + ":" + std::to_string(line), name, std::string(banned->instead)});
  }
}

size_t line_at(const std::string& text, size_t offset) {
  return 1 + size_t(std::count(text.begin(), text.begin() + ptrdiff_t(offset), '\n'));
}

// Returns the entry of two words, if there is one.
const Banned* find_phrase(const std::string& first, const std::string& second) {
  static const std::vector<const Banned*> phrases = [] {
    std::vector<const Banned*> found;
    for (const Banned& banned : banned_words())
      if (banned.word.find(' ') != banned.word.npos) found.push_back(&banned);
    return found;
  }();
  for (const Banned* const phrase : phrases)
    if (phrase->word.ends_with(second) && phrase->word == first + ' ' + second) return phrase;
  return nullptr;
}

// Finds words that are no plain English, alone or with the word before them.
void find_in_prose(const fs::path& path, const std::string& text, std::vector<Finding>& findings) {
  std::string before;
  for (const auto& [found, at] : split_words(text, is_letter, is_letter)) {
    std::string word = lower(found);
    const Banned* const phrase = find_phrase(before, word);
    const Banned* const banned = phrase != nullptr ? phrase : find_banned(found);
    if (banned != nullptr && banned->in_prose &&
        std::ranges::find(banned->good, before) == banned->good.end())
      findings.push_back({path.string() + ":" + std::to_string(line_at(text, at)),
                          phrase != nullptr ? before + ' ' + word : found, std::string(banned->instead)});
    before = std::move(word);
  }
}

// Names and comments keep to the words that are never plain English; strings are free.
void find_in_python(const fs::path& path, const std::string& text, std::vector<Finding>& findings) {
  std::string code = text, comments(text.size(), ' ');
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      comments[i] = '\n';
      quote = 0;
    } else if (quote == 0 && text[i] == '#') {
      for (; i < text.size() && text[i] != '\n'; ++i) std::swap(code[i], comments[i]);
      --i;
    } else if (quote == 0 && (text[i] == '"' || text[i] == '\'')) {
      quote = text[i];
    } else if (quote != 0) {
      if (text[i] == quote) quote = 0;
      code[i] = ' ';
    }
  }
  std::vector<Finding> named;
  find_identifiers(path, code, named);
  std::erase_if(named, [](const Finding& finding) { return !find_banned(finding.word)->in_prose; });
  findings.insert(findings.end(), named.begin(), named.end());
  find_in_prose(path, comments, findings);
}

// Names between backquotes keep to the list like identifiers.
void find_in_page(const fs::path& path, const std::string& text, std::vector<Finding>& findings) {
  static const std::regex name("`([A-Za-z_][A-Za-z0-9_]*)`");
  for (std::sregex_iterator it(text.begin(), text.end(), name), last; it != last; ++it)
    if (const Banned* const banned = find_banned(it->str(1)); banned != nullptr && !banned->in_prose)
      findings.push_back({path.string() + ":" + std::to_string(line_at(text, size_t(it->position()))),
                          it->str(1), std::string(banned->instead)});
  find_in_prose(path, text, findings);
}

std::vector<Finding> find_all(const fs::path& root) {
  std::vector<Finding> findings;
  for (const char* folder : {"api", "backends", "bench", "cmake", "core", "docs", "examples", "nnapi",
                             "python", "shaders", "tests", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path path = fs::relative(entry.path(), root);
      if (path.string().starts_with("tests/conformance/runner")) continue;  // kept as it came
      if (path.string().starts_with("tests/nnapi/runner")) continue;        // the same
      if (path.filename() == "vocabulary_test.cpp" || path.filename() == "glossary.md") continue;
      if (path.string().starts_with("bench/results")) continue;  // records keep the names of their time
      const std::string type = path.extension().string();
      if (type == ".h" || type == ".cpp" || type == ".comp" || type == ".glsl") {
        const Split parts = split(read_file(entry.path()));
        const std::string name = path.string();  // the names in public headers are those of others
        if (!name.starts_with("api/include") && !name.starts_with("nnapi/include"))
          find_identifiers(path, parts.code, findings);
        find_in_prose(path, parts.comments, findings);
        if (const Banned* const banned = find_banned(path.stem().string()))
          findings.push_back({path.string(), path.stem().string(), std::string(banned->instead)});
      } else if (type == ".cmake" || path.filename() == "CMakeLists.txt") {
        static const std::regex comment("#[^\\n]*"), hyphen("([a-z])-([a-z])");  // --at-least is at_least
        const std::string commands = std::regex_replace(read_file(entry.path()), comment, "");
        find_identifiers(path, std::regex_replace(commands, hyphen, "$1_$2"), findings);
      } else if (type == ".py") {
        find_in_python(path, read_file(entry.path()), findings);
      } else if (type == ".md") {
        find_in_page(path, read_file(entry.path()), findings);
      }
    }
  }
  find_in_page("README.md", read_file(root / "README.md"), findings);
  return findings;
}

TEST(Vocabulary, IsTheFieldsInNamesCommentsAndPages) {
  for (const Finding& finding : find_all(NNRT_SOURCE_DIR))
    ADD_FAILURE() << finding.where << ": " << finding.word << "; write " << finding.instead;
}

TEST(Vocabulary, SplitsNamesIntoWords) {
  EXPECT_EQ(words_of("kMaxFusedSteps_"), (std::vector<std::string>{"k", "max", "fused", "steps"}));
  EXPECT_EQ(words_of("NNRT_FAST_COMPILE"), (std::vector<std::string>{"nnrt", "fast", "compile"}));
  EXPECT_EQ(words_of("to_half16"), (std::vector<std::string>{"to", "half", "16"}));
}

TEST(Vocabulary, FindsAPlantedWord) {
  std::vector<Finding> findings;
  find_identifiers("a.cpp", code_of("// codes\nint kept;  // turned\nint weight_codes = f(\"codes\");\n"),
                   findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].where, "a.cpp:3");
  EXPECT_EQ(findings[0].word, "weight_codes");
  findings.clear();
  find_identifiers("b.cpp", code_of("getenv(\"NNRT_HALVES\");\nTEST(Halves, AreTurned) {}"), findings);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].word, "NNRT_HALVES");
  EXPECT_EQ(findings[1].word, "Halves");
  findings.clear();
  find_in_python("c.py", "octets = \"octets\"  # of halves\n", findings);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].word + findings[1].word, "octetshalves");
  findings.clear();
  find_in_page("page.md", "Each of the two windows.\nBy octets, and `facts`.\n", findings);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].where, "page.md:2");
}

TEST(Vocabulary, FindsAPlantedWordInComments) {
  const std::string source =
      "int codes;  // The halves of 8\n"
      "// It returns return\n"
      "// codes, never real\n"
      "// values of codes.\n"
      "const char* s = \"// octets\";\n";
  std::vector<Finding> findings;
  find_in_prose("a.cpp", split(source).comments, findings);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].where + findings[0].word, "a.cpp:1halves");
  EXPECT_EQ(findings[1].where + findings[1].word, "a.cpp:4real values");
  EXPECT_EQ(findings[2].where + findings[2].word, "a.cpp:4codes");
}

// A word that the glossary explains is one that may be written.
TEST(Vocabulary, BansNoTermOfTheGlossary) {
  const std::string glossary = read_file(fs::path(NNRT_SOURCE_DIR) / "docs/glossary.md");
  ASSERT_FALSE(glossary.empty());
  std::string last;
  static const std::regex row("\\n\\| ([^|]+) \\| [^|\\n]+\\|");
  for (std::sregex_iterator it(glossary.begin(), glossary.end(), row), end; it != end; ++it) {
    const std::string term = it->str(1);
    if (term == "term" || term == "---") continue;
    for (const std::string& word : words_of(term))
      EXPECT_EQ(std::ranges::find(banned_words(), word, &Banned::word), banned_words().end()) << term;
    EXPECT_LT(last, lower(term)) << "the glossary is in alphabetical order, each term once";
    last = lower(term);
  }
  EXPECT_FALSE(last.empty());
}

}  // namespace
}  // namespace nnrt
