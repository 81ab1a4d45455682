#include "tools/nnrt/generate/tokenizer.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/generate/character_map.h"
#include "tools/nnrt/generate/split_pattern.h"
#include "tools/nnrt/generate/token_model.h"
#include "tools/nnrt/generate/utf8.h"

#include <nlohmann/json.hpp>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <unordered_map>

namespace nnrt::tool {
namespace {

using nlohmann::json;

constexpr size_t kMaxFile = size_t{1} << 28;
// The default pattern of a ByteLevel step.
constexpr const char* kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// What \w is in Unicode, which PCRE2's is not.
constexpr std::string_view kWord = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9})"
                                   R"(\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";
constexpr const char* kSpace = "\u2581";  // of Metaspace

Error unsupported(std::string_view what, std::string_view kind) {
  return {Code::unsupported, cat("A tokenizer with the ", what, " ", kind, " is not supported.")};
}

std::string utf8(unsigned point) {
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  return {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
}

// Printable bytes map to themselves, others to characters from U+0100 on.
std::array<std::string, 256> byte_characters() {
  std::array<std::string, 256> characters;
  unsigned next = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool prints = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    characters[byte] = utf8(prints ? byte : next++);
  }
  return characters;
}

std::string in_byte_characters(std::string_view text) {
  static const std::array<std::string, 256> characters = byte_characters();
  std::string mapped;
  for (const char byte : text) mapped += characters[static_cast<unsigned char>(byte)];
  return mapped;
}

// Maps a token's characters back to bytes.
std::string bytes_of(const std::string& token) {
  static const std::unordered_map<std::string_view, char> bytes = [] {
    static const std::array<std::string, 256> characters = byte_characters();
    std::unordered_map<std::string_view, char> made;
    for (unsigned byte = 0; byte < 256; ++byte) made[characters[byte]] = static_cast<char>(byte);
    return made;
  }();
  std::string result;
  for (const std::string_view point : code_points(token)) {
    const auto found = bytes.find(point);
    if (found == bytes.end()) return token;  // an added token is literal text
    result += found->second;
  }
  return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos && !from.empty();
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

Result<SplitPattern> pattern_of(const json& step) {
  const json& pattern = step.at("pattern");
  if (pattern.contains("Regex"))
    return SplitPattern::compile_oniguruma(pattern.at("Regex").get<std::string>());
  return SplitPattern::compile(SplitPattern::literal(pattern.at("String").get<std::string>()));
}

bool is_space(std::string_view point) {
  utf8proc_int32_t code = -1;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(point.data()),
                   static_cast<utf8proc_ssize_t>(point.size()), &code);
  if ((code >= '\t' && code <= '\r') || code == 0x85) return true;
  const utf8proc_category_t category = utf8proc_category(code);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

std::string in_lower_case(std::string_view text) {
  std::string made;
  for (const std::string_view point : code_points(text)) {
    utf8proc_int32_t code = -1;
    std::array<utf8proc_uint8_t, 4> bytes{};
    utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(point.data()),
                     static_cast<utf8proc_ssize_t>(point.size()), &code);
    const auto size = static_cast<size_t>(utf8proc_encode_char(utf8proc_tolower(code), bytes.data()));
    const bool becomes_two = code == 0x130;  // the capital I with a dot keeps the dot
    made += becomes_two ? "i\u0307"
            : code < 0  ? point
                        : std::string_view(reinterpret_cast<const char*>(bytes.data()), size);
  }
  return made;
}

Result<std::string> in_form(std::string_view text, int options) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &made,
                                             static_cast<utf8proc_option_t>(UTF8PROC_STABLE | options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, std::free);
  if (size < 0) return invalid("The text cannot be normalized: ", utf8proc_errmsg(size), ".");
  return std::string(reinterpret_cast<const char*>(made), static_cast<size_t>(size));
}

// Calls `read` with each step of a sequence, or with the only one.
template <typename Read>
Status each_step(const json& step, const char* steps, const Read& read, int depth = 0) {
  constexpr int kMaxDepth = 10;
  if (depth > kMaxDepth) return unsupported("step", "in so many sequences");
  if (step.is_null()) return {};
  const std::string type = step.at("type");
  if (type != "Sequence") return read(step, type);
  for (const json& part : step.at(steps)) NNRT_TRY(each_step(part, steps, read, depth + 1));
  return {};
}

class JsonTokenizer : public Tokenizer {
 public:
  Status read(const json& file) {
    NNRT_ASSIGN(model_, read_token_model(file.at("model"), vocabulary_));
    NNRT_TRY(
        each_step(file.value("normalizer", json()), "normalizers",
                  [&](const json& step, const std::string& type) { return add_normalizer(step, type); }));
    NNRT_TRY(each_step(file.value("pre_tokenizer", json()), "pretokenizers",
                       [&](const json& step, const std::string& type) { return add_splitter(step, type); }));
    NNRT_TRY(each_step(file.value("post_processor", json()), "processors",
                       [&](const json& step, const std::string& type) { return add_template(step, type); }));
    for (const auto& [token, id] : vocabulary_.ids()) texts_[id] = token;
    NNRT_TRY(read_added(file.value("added_tokens", json::array())));
    const json decoder = file.value("decoder", json());
    if (decoder.is_null() && maps_bytes_) map_bytes_back();
    NNRT_TRY(each_step(decoder, "decoders",
                       [&](const json& step, const std::string& type) { return decode_by(step, type); }));
    for (const json& token : file.value("added_tokens", json::array()))
      if (token.value("special", false)) texts_[token_id(token.at("id"))].clear();
    return {};
  }

  Result<Tokens> encode(std::string_view text, bool has_template) const override {
    Tokens tokens = has_template ? before_ : Tokens();
    bool begins = true;
    for (const Segment& raw : split_at(added_, text)) {
      if (raw.token != nullptr) {
        tokens.push_back(raw.token->id);
      } else {
        NNRT_ASSIGN(const std::string plain, normalized(raw.text));
        begins = begins && !(strips_begin_ && is_space(code_points(raw.text)[0]));
        if (begins && splits_before_prefix_) NNRT_TRY(check_first(code_points(raw.text)[0]));
        for (const Segment& part : split_at(normalized_added_, plain)) {
          if (part.token != nullptr) {
            tokens.push_back(part.token->id);
          } else {
            NNRT_TRY(encode_words(part.text, begins, tokens));
          }
          begins = false;
        }
      }
      begins = false;
    }
    if (has_template) tokens.insert(tokens.end(), after_.begin(), after_.end());
    return tokens;
  }

  std::string decode(int64_t token) const override {
    const auto found = texts_.find(token);
    return found == texts_.end() ? "" : found->second;
  }

  bool adds_space() const override { return adds_space_; }

 private:
  struct AddedToken {
    int64_t id = 0;
    bool strips_before = false, strips_behind = false;  // spaces beside it
  };
  using Added = std::map<std::string, AddedToken>;
  struct Segment {
    std::string_view text;
    const AddedToken* token = nullptr;  // null: text between the tokens
  };
  using Normalize = std::function<Result<std::string>(const std::string& text)>;
  // `is_first`: the word begins the text.
  using Split = std::function<Result<std::vector<std::string>>(const std::string& word, bool is_first)>;

  Status add_normalizer(const json& step, const std::string& type) {
    static const std::map<std::string_view, int> forms{
        {"NFC", UTF8PROC_COMPOSE},
        {"NFD", UTF8PROC_DECOMPOSE},
        {"NFKC", UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
        {"NFKD", UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT},
    };
    if (const auto form = forms.find(type); form != forms.end()) {
      normalizers_.emplace_back(
          [options = form->second](const std::string& text) { return in_form(text, options); });
    } else if (type == "Prepend") {
      normalizers_.emplace_back([prefix = step.at("prepend").get<std::string>()](const std::string& text) {
        return Result<std::string>(prefix + text);
      });
    } else if (type == "Lowercase") {
      normalizers_.emplace_back(
          [](const std::string& text) { return Result<std::string>(in_lower_case(text)); });
    } else if (type == "StripAccents") {
      NNRT_ASSIGN(const SplitPattern accents, SplitPattern::compile(R"(\p{M}+)"));
      add_replacement(accents, "");
    } else if (type == "Replace") {
      NNRT_ASSIGN(const SplitPattern pattern, pattern_of(step));
      add_replacement(pattern, step.at("content"));
    } else if (type == "Strip") {
      const bool left = step.value("strip_left", true), right = step.value("strip_right", true);
      NNRT_ASSIGN(const SplitPattern pattern, SplitPattern::compile(left && right ? R"(\A\s+|\s+\z)"
                                                                    : left        ? R"(\A\s+)"
                                                                                  : R"(\s+\z)"));
      if (left || right) add_replacement(pattern, "");
      strips_begin_ = strips_begin_ || left;
    } else if (type == "Precompiled") {
      NNRT_ASSIGN(const CharacterMap map,
                  CharacterMap::read(step.at("precompiled_charsmap").get<std::string>()));
      NNRT_ASSIGN(const SplitPattern character, SplitPattern::compile(R"(\X)"));
      normalizers_.emplace_back([map, character](const std::string& text) -> Result<std::string> {
        NNRT_ASSIGN(const std::vector<std::string> characters, character.split(text));
        return map.normalized(characters);
      });
    } else {
      return unsupported("normalizer", type);
    }
    return {};
  }

  void add_replacement(const SplitPattern& pattern, const std::string& content) {
    normalizers_.emplace_back(
        [pattern, content](const std::string& text) { return pattern.replace(text, content); });
  }

  Status add_splitter(const json& step, const std::string& type) {
    using Behavior = SplitPattern::Behavior;
    if (type == "ByteLevel") {
      if (step.value("add_prefix_space", true)) add_prefix(" ", true);
      if (step.value("use_regex", true)) NNRT_TRY(add_pattern(kGpt2Pattern, Behavior::isolated));
      splitters_.emplace_back([](const std::string& word, bool) {
        return Result<std::vector<std::string>>({in_byte_characters(word)});
      });
      maps_bytes_ = true;
      return {};
    }
    if (type == "Metaspace") return add_metaspace(step);
    if (type == "Split") {
      NNRT_ASSIGN(const Behavior behavior, behavior_of(step));
      NNRT_ASSIGN(const SplitPattern pattern, pattern_of(step));
      add_pattern(pattern, behavior, step.value("invert", false));
      return {};
    }
    if (type == "Digits")
      return add_pattern(step.value("individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)",
                         Behavior::isolated);
    if (type == "WhitespaceSplit") return add_pattern(R"(\s+)", Behavior::removed);
    if (type == "Whitespace")
      return add_pattern(cat("[", kWord, "]+|[^\\s", kWord, "]+").c_str(), Behavior::removed, true);
    if (type == "Punctuation") {
      NNRT_ASSIGN(const Behavior behavior, behavior_of(step));
      return add_pattern(R"([\p{P}$+<=>^`|~])", behavior);
    }
    return unsupported("pre-tokenizer", type);
  }

  static Result<SplitPattern::Behavior> behavior_of(const json& step) {
    using Behavior = SplitPattern::Behavior;
    static const std::map<std::string, Behavior> behaviors{
        {"Removed", Behavior::removed},
        {"Isolated", Behavior::isolated},
        {"MergedWithPrevious", Behavior::merged_with_previous},
        {"MergedWithNext", Behavior::merged_with_next},
        {"Contiguous", Behavior::contiguous},
    };
    const std::string name = step.value("behavior", "Isolated");
    const auto found = behaviors.find(name);
    if (found == behaviors.end()) return unsupported("split", name);
    return found->second;
  }

  // Begins every word, or only the first, with this text.
  void add_prefix(const std::string& prefix, bool every) {
    splitters_.emplace_back([prefix, every](const std::string& word, bool is_first) {
      const bool needs = (every || is_first) && !word.starts_with(prefix);
      return Result<std::vector<std::string>>({needs ? prefix + word : word});
    });
  }

  Status add_pattern(const char* text, SplitPattern::Behavior behavior, bool inverted = false) {
    NNRT_ASSIGN(const SplitPattern pattern, SplitPattern::compile(text));
    add_pattern(pattern, behavior, inverted);
    return {};
  }
  void add_pattern(const SplitPattern& pattern, SplitPattern::Behavior behavior, bool inverted) {
    splitters_.emplace_back([pattern, behavior, inverted](const std::string& word, bool) {
      return pattern.split(word, behavior, inverted);
    });
  }

  // Spaces become a visible character, which begins each word.
  Status add_metaspace(const json& step) {
    const std::string space = step.value("replacement", kSpace);
    const std::string scheme =
        step.value("prepend_scheme", step.value("add_prefix_space", true) ? "always" : "never");
    splitters_.emplace_back([space](std::string word, bool) {
      replace_all(word, " ", space);
      return Result<std::vector<std::string>>({std::move(word)});
    });
    splits_before_prefix_ = scheme == "first" && splitters_.size() > 1;
    if (scheme != "never") add_prefix(space, scheme == "always");
    if (!step.value("split", true)) return {};
    return add_pattern(SplitPattern::literal(space).c_str(), SplitPattern::Behavior::merged_with_next);
  }

  // The tokens added before and after every text.
  Status add_template(const json& step, const std::string& type) {
    if (type == "ByteLevel") return {};
    if (type != "TemplateProcessing") return unsupported("post-processor", type);
    bool behind = false;
    for (const json& part : step.at("single")) {
      if (part.contains("Sequence")) {
        behind = true;
        continue;
      }
      const std::string token = part.at("SpecialToken").at("id");
      for (const json& id : step.at("special_tokens").at(token).at("ids"))
        (behind ? after_ : before_).push_back(token_id(id));
    }
    return {};
  }

  void map_bytes_back() {
    for (auto& entry : texts_) entry.second = bytes_of(entry.second);
  }

  // Applies a decoder's step to the texts of all tokens.
  Status decode_by(const json& step, const std::string& type) {
    if (type == "ByteLevel") {
      map_bytes_back();
    } else if (type == "Metaspace") {
      for (auto& entry : texts_) replace_all(entry.second, step.value("replacement", kSpace), " ");
      adds_space_ =
          step.value("prepend_scheme", step.value("add_prefix_space", true) ? "always" : "never") != "never";
    } else if (type == "Replace" && step.at("pattern").contains("String")) {
      for (auto& entry : texts_)
        replace_all(entry.second, step.at("pattern").at("String").get<std::string>(),
                    step.at("content").get<std::string>());
    } else if (type == "ByteFallback") {
      for (unsigned byte = 0; byte < 256; ++byte)
        if (const auto id = vocabulary_.find(byte_token(static_cast<unsigned char>(byte))))
          texts_[*id] = std::string(1, static_cast<char>(byte));
    } else if (type == "Fuse") {
      is_fused_ = true;
    } else if (type == "Strip" && is_fused_ && step.at("content") == " " && step.value("start", 0) <= 1 &&
               step.value("stop", 0) == 0) {
      adds_space_ = step.value("start", 0) == 1;
    } else {
      return unsupported("decoder", type);
    }
    return {};
  }

  Status read_added(const json& tokens) {
    for (const json& token : tokens) {
      const std::string content = token.at("content");
      const int64_t id = token_id(token.at("id"));
      if (token.value("single_word", false)) return unsupported("added token of a single word,", content);
      if (content.empty()) continue;
      texts_[id] = content;
      const bool is_normalized = token.value("normalized", false);
      NNRT_ASSIGN(const std::string text, is_normalized ? normalized(content) : content);
      if (text.empty()) continue;
      (is_normalized ? normalized_added_ : added_)[text] = {id, token.value("lstrip", false),
                                                            token.value("rstrip", false)};
    }
    return {};
  }

  Result<std::string> normalized(std::string_view text) const {
    std::string made(text);
    for (const Normalize& normalize : normalizers_) {
      NNRT_ASSIGN(made, normalize(made));
    }
    return made;
  }

  static std::vector<Segment> split_at(const Added& added, std::string_view text) {
    std::vector<Segment> segments;
    while (!text.empty()) {
      const auto [position, token] = next_of(added, text);
      std::string_view plain = text.substr(0, position);
      text.remove_prefix(position);
      if (token != nullptr && token->second.strips_before) plain = without_spaces(plain, false);
      if (!plain.empty()) segments.push_back({plain});
      if (token == nullptr) break;
      segments.push_back({text.substr(0, token->first.size()), &token->second});
      text.remove_prefix(token->first.size());
      if (token->second.strips_behind) text = without_spaces(text, true);
    }
    return segments;
  }

  static std::string_view without_spaces(std::string_view text, bool at_front) {
    const std::vector<std::string_view> points = code_points(text);
    const auto is_other = [](std::string_view point) { return !is_space(point); };
    if (at_front) {
      const auto first = std::ranges::find_if(points, is_other);
      return first == points.end() ? "" : text.substr(static_cast<size_t>(first->data() - text.data()));
    }
    const auto last = std::find_if(points.rbegin(), points.rend(), is_other);
    if (last == points.rend()) return "";
    return text.substr(0, static_cast<size_t>(last->data() - text.data()) + last->size());
  }

  // Behind a split, the reference puts the prefix of the first word before several words if the normalizers
  // make several characters of the text's first.
  Status check_first(std::string_view character) const {
    NNRT_ASSIGN(const std::string plain, normalized(character));
    if (code_points(plain).size() <= 1) return {};
    return Error{Code::unsupported,
                 cat("A text that begins with (", character, ") is not supported by this tokenizer.")};
  }

  // The first added token in the text; the longest of several at the same place.
  static std::pair<size_t, const Added::value_type*> next_of(const Added& added, std::string_view text) {
    std::pair<size_t, const Added::value_type*> first{text.size(), nullptr};
    for (const auto& token : added) {
      const size_t position = text.find(token.first);
      const bool is_longer = first.second != nullptr && token.first.size() > first.second->first.size();
      if (position < first.first || (position == first.first && is_longer)) first = {position, &token};
    }
    return first;
  }

  Status encode_words(std::string_view text, bool begins, Tokens& tokens) const {
    std::vector<std::string> words{std::string(text)};
    for (const Split& split : splitters_) {
      std::vector<std::string> shorter;
      for (size_t i = 0; i < words.size(); ++i) {
        if (words[i].empty()) {
          shorter.emplace_back();
          continue;
        }
        NNRT_ASSIGN(std::vector<std::string> parts, split(words[i], begins && i == 0));
        std::ranges::move(parts, std::back_inserter(shorter));
      }
      words = std::move(shorter);
    }
    for (const std::string& word : words)
      if (!word.empty()) NNRT_TRY(model_->encode(word, tokens));
    return {};
  }

  Vocabulary vocabulary_;
  std::unique_ptr<TokenModel> model_;  // refers to the vocabulary
  std::vector<Normalize> normalizers_;
  std::vector<Split> splitters_;
  std::unordered_map<int64_t, std::string> texts_;
  Added added_, normalized_added_;  // found in the text as it is, and as it is normalized
  Tokens before_, after_;
  bool splits_before_prefix_ = false, strips_begin_ = false, maps_bytes_ = false, is_fused_ = false,
       adds_space_ = false;
};

// Fails for unsupported kinds and steps: slightly wrong tokens would silently give wrong results.
Result<std::unique_ptr<Tokenizer>> read_tokenizer_json(const std::filesystem::path& path) {
  NNRT_ASSIGN(const import::Bytes bytes, read_file(path, kMaxFile));
  const auto* first = reinterpret_cast<const char*>(bytes.data());
  const json file = json::parse(first, first + bytes.size(), nullptr, false);
  if (file.is_discarded()) return Error{Code::invalid_file, cat(path.string(), " is not JSON.")};
  auto tokenizer = std::make_unique<JsonTokenizer>();
  try {
    NNRT_TRY(tokenizer->read(file));
  } catch (const json::exception& error) {
    return Error{Code::invalid_file, cat(path.string(), " is not a tokenizer.json: ", error.what(), ".")};
  }
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

class ByteTokenizer : public Tokenizer {
 public:
  Result<Tokens> encode(std::string_view text, bool) const override {
    Tokens tokens;
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  std::string decode(int64_t token) const override {
    return token >= 0 && token < 256 ? std::string(1, static_cast<char>(token)) : "";
  }
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_tokenizer(const std::string& choice) {
  if (choice == "bytes") return std::unique_ptr<Tokenizer>(std::make_unique<ByteTokenizer>());
  return read_tokenizer_json(choice);
}

}  // namespace nnrt::tool
