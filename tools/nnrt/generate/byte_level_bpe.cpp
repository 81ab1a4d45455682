#include "tools/nnrt/generate/byte_level_bpe.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/generate/split_pattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

namespace nnrt::tool {
namespace {

using nlohmann::json;

constexpr size_t kMaxFile = size_t{1} << 28;
// The default pattern of a ByteLevel step.
constexpr const char* kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

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

// Maps a token's characters back to bytes.
std::string bytes_of(const std::string& token, const std::unordered_map<std::string, char>& bytes) {
  std::string result;
  for (size_t i = 0; i < token.size();) {
    const size_t length = static_cast<unsigned char>(token[i]) < 0x80 ? 1 : 2;
    const auto found = bytes.find(token.substr(i, length));
    if (found == bytes.end()) return token;  // an added token is literal text
    result += found->second;
    i += length;
  }
  return result;
}

class ByteLevelBpe : public Tokenizer {
 public:
  Status read(const json& file) {
    NNRT_TRY(read_model(file.at("model")));
    NNRT_TRY(read_normalizer(file));
    NNRT_TRY(read_splitting(file.value("pre_tokenizer", json())));
    NNRT_TRY(read_post_processor(file.value("post_processor", json())));
    for (const json& token : file.value("added_tokens", json::array())) {
      added_[token.at("content").get<std::string>()] = token.at("id").get<int64_t>();
      texts_[token.at("id").get<int64_t>()] = token.at("content").get<std::string>();
    }
    return {};
  }

  Result<Tokens> encode(std::string_view text) const override {
    Tokens tokens = before_;
    while (!text.empty()) {
      const auto [position, token] = next_added(text);
      NNRT_TRY(encode_plain(text.substr(0, position), tokens));
      if (token == nullptr) break;
      tokens.push_back(token->second);
      text.remove_prefix(position + token->first.size());
    }
    tokens.insert(tokens.end(), after_.begin(), after_.end());
    return tokens;
  }

  std::string decode(int64_t token) const override {
    const auto found = texts_.find(token);
    return found == texts_.end() ? "" : found->second;
  }

 private:
  using Added = std::map<std::string, int64_t>;

  Status read_model(const json& model) {
    if (const std::string type = model.value("type", "BPE"); type != "BPE") return unsupported("model", type);
    if (model.value("byte_fallback", false)) return unsupported("step", "byte_fallback");
    whole_words_ = model.value("ignore_merges", false);
    std::unordered_map<std::string, char> bytes;
    for (unsigned byte = 0; byte < 256; ++byte) bytes[characters_[byte]] = static_cast<char>(byte);
    for (const auto& [token, id] : model.at("vocab").items()) {
      ids_[token] = id.get<int64_t>();
      texts_[id.get<int64_t>()] = bytes_of(token, bytes);
    }
    size_t rank = 0;
    for (const json& merge : model.at("merges")) {
      std::string pair = merge.is_string()
                             ? merge.get<std::string>()
                             : merge.at(0).get<std::string>() + ' ' + merge.at(1).get<std::string>();
      ranks_.emplace(std::move(pair), rank++);
    }
    return {};
  }

  static Status read_normalizer(const json& file) {
    const json normalizer = file.value("normalizer", json());
    if (normalizer.is_null()) return {};
    return unsupported("normalizer", normalizer.at("type").get<std::string>());
  }

  Status read_splitting(const json& step) {
    if (step.is_null()) return unsupported("pre-tokenizer", "null");
    const std::string type = step.at("type");
    if (type == "Sequence") {
      for (const json& part : step.at("pretokenizers")) NNRT_TRY(read_splitting(part));
      return {};
    }
    if (type == "Split") return read_pattern(step);
    if (type != "ByteLevel") return unsupported("pre-tokenizer", type);
    prefixes_space_ = step.value("add_prefix_space", false);
    return step.value("use_regex", true) ? add_pattern(kGpt2Pattern) : Status();
  }

  Status read_pattern(const json& step) {
    const std::string behavior = step.at("behavior");
    if (behavior != "Isolated" || step.value("invert", false)) return unsupported("split", behavior);
    return add_pattern(step.at("pattern").at("Regex").get<std::string>());
  }

  Status add_pattern(const std::string& text) {
    NNRT_ASSIGN(SplitPattern pattern, SplitPattern::compile(text));
    patterns_.push_back(std::move(pattern));
    return {};
  }

  // The tokens added before and after every text.
  Status read_post_processor(const json& step) {
    if (step.is_null()) return {};
    const std::string type = step.at("type");
    if (type == "ByteLevel") return {};
    if (type == "Sequence") {
      for (const json& part : step.at("processors")) NNRT_TRY(read_post_processor(part));
      return {};
    }
    if (type != "TemplateProcessing") return unsupported("post-processor", type);
    bool behind = false;
    for (const json& part : step.at("single")) {
      if (part.contains("Sequence")) {
        behind = true;
        continue;
      }
      const std::string token = part.at("SpecialToken").at("id");
      for (const json& id : step.at("special_tokens").at(token).at("ids"))
        (behind ? after_ : before_).push_back(id.get<int64_t>());
    }
    return {};
  }

  // The first added token in the text; the longest of several at the same place.
  std::pair<size_t, const Added::value_type*> next_added(std::string_view text) const {
    std::pair<size_t, const Added::value_type*> first{text.size(), nullptr};
    for (const auto& token : added_) {
      const size_t position = text.find(token.first);
      const bool is_longer = first.second != nullptr && token.first.size() > first.second->first.size();
      if (position < first.first || (position == first.first && is_longer)) first = {position, &token};
    }
    return first;
  }

  Status encode_plain(std::string_view text, Tokens& tokens) const {
    if (text.empty()) return {};
    std::vector<std::string> words{std::string(text)};
    if (prefixes_space_ && text.front() != ' ') words.front().insert(0, " ");
    for (const SplitPattern& pattern : patterns_) {
      std::vector<std::string> shorter;
      for (const std::string& word : words) {
        NNRT_ASSIGN(std::vector<std::string> parts, pattern.split(word));
        std::ranges::move(parts, std::back_inserter(shorter));
      }
      words = std::move(shorter);
    }
    for (const std::string& word : words) NNRT_TRY(encode_word(word, tokens));
    return {};
  }

  Status encode_word(const std::string& word, Tokens& tokens) const {
    std::vector<std::string> parts;
    for (const char byte : word) parts.push_back(characters_[static_cast<unsigned char>(byte)]);
    if (whole_words_) {
      std::string whole;
      for (const std::string& part : parts) whole += part;
      if (ids_.contains(whole)) parts = {whole};
    }
    while (merge_best(parts)) {
    }
    for (const std::string& part : parts) {
      const auto found = ids_.find(part);
      if (found == ids_.end())
        return Error{Code::invalid_parameter, cat("The tokenizer has no token (", part, ").")};
      tokens.push_back(found->second);
    }
    return {};
  }

  // Merges every pair of the lowest rank; false if no pair can be merged.
  bool merge_best(std::vector<std::string>& parts) const {
    size_t best = std::numeric_limits<size_t>::max();
    std::string left, right;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks_.find(parts[i] + ' ' + parts[i + 1]);
      if (found == ranks_.end() || found->second >= best) continue;
      best = found->second;
      left = parts[i];
      right = parts[i + 1];
    }
    if (left.empty()) return false;
    std::vector<std::string> merged;
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool joins = i + 1 < parts.size() && parts[i] == left && parts[i + 1] == right;
      merged.push_back(joins ? left + right : parts[i]);
      i += joins ? 1 : 0;
    }
    parts = std::move(merged);
    return true;
  }

  const std::array<std::string, 256> characters_ = byte_characters();
  std::unordered_map<std::string, int64_t> ids_;
  std::unordered_map<int64_t, std::string> texts_;
  std::unordered_map<std::string, size_t> ranks_;  // merge priority of "left right"
  Added added_;
  Tokens before_, after_;
  std::vector<SplitPattern> patterns_;
  bool prefixes_space_ = false, whole_words_ = false;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> read_byte_level_bpe(const std::filesystem::path& path) {
  NNRT_ASSIGN(const import::Bytes bytes, read_file(path, kMaxFile));
  const auto* first = reinterpret_cast<const char*>(bytes.data());
  const json file = json::parse(first, first + bytes.size(), nullptr, false);
  if (file.is_discarded()) return Error{Code::invalid_file, cat(path.string(), " is not JSON.")};
  auto tokenizer = std::make_unique<ByteLevelBpe>();
  try {
    NNRT_TRY(tokenizer->read(file));
  } catch (const json::exception& error) {
    return Error{Code::invalid_file, cat(path.string(), " is not a tokenizer.json: ", error.what(), ".")};
  }
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

}  // namespace nnrt::tool
