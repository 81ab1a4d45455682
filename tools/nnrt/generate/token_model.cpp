#include "tools/nnrt/generate/token_model.h"

#include "core/base/text.h"
#include "tools/nnrt/generate/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace nnrt::tool {
namespace {

using nlohmann::json;

// Joins the pair of the lowest rank, the leftmost first, until no pair can be joined.
class Bpe : public TokenModel {
 public:
  explicit Bpe(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  Status read(const json& model) {
    for (const char* const option : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (model.contains(option) && !model.at(option).is_null() && model.at(option) != "")
        return Error{Code::unsupported, cat("A tokenizer with the option ", option, " is not supported.")};
    takes_whole_words_ = model.value("ignore_merges", false);
    uint32_t rank = 0;
    for (const json& merge : model.at("merges")) {
      std::string left, right;
      if (merge.is_string()) {
        const std::string both = merge.get<std::string>();
        const size_t space = both.find(' ', 1);
        left = both.substr(0, space);
        if (space != std::string::npos) right = both.substr(space + 1);
      } else {
        left = merge.at(0).get<std::string>();
        right = merge.at(1).get<std::string>();
      }
      const auto a = vocabulary_.find(left), b = vocabulary_.find(right),
                 both = vocabulary_.find(left + right);
      if (!a || !b || !both)
        return Error{Code::invalid_file, cat("The tokenizer merges (", left, ") and (", right,
                                             "), but has no token for these or both.")};
      merges_.insert_or_assign({*a, *b}, Merge{rank++, *both});
    }
    return {};
  }

  Status encode(std::string_view word, Tokens& tokens) const override {
    if (takes_whole_words_) {
      if (const auto whole = vocabulary_.find(word)) {
        tokens.push_back(*whole);
        return {};
      }
    }
    Tokens parts;
    bool was_unknown = false;
    for (const std::string_view point : code_points(word)) {
      const auto found = vocabulary_.find(point);
      const size_t before = parts.size();
      if (found) {
        parts.push_back(*found);
      } else {
        NNRT_TRY(vocabulary_.encode_unknown(point, parts));
      }
      const bool is_unknown = !found && parts.back() == vocabulary_.unknown;
      if (is_unknown && was_unknown && vocabulary_.fuses_unknown) parts.resize(before);
      was_unknown = is_unknown;
    }
    for (const int64_t part : joined(std::move(parts))) tokens.push_back(part);
    return {};
  }

 private:
  struct Merge {
    uint32_t rank = 0;
    int64_t token = 0;
  };
  struct PairHash {
    size_t operator()(const std::pair<int64_t, int64_t>& pair) const {
      return static_cast<size_t>(pair.first * 0x9e3779b97f4a7c15 + pair.second);
    }
  };

  Tokens joined(Tokens parts) const {
    constexpr int64_t kNone = -1;
    const auto count = static_cast<int64_t>(parts.size());
    std::vector<int64_t> next(parts.size()), previous(parts.size());
    for (int64_t i = 0; i < count; ++i) {
      next[size_t(i)] = i + 1 < count ? i + 1 : kNone;
      previous[size_t(i)] = i - 1;
    }
    using Candidate = std::tuple<uint32_t, int64_t, int64_t, int64_t>;  // rank, place, left and right token
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    const auto consider = [&](int64_t i) {
      if (i < 0 || next[size_t(i)] == kNone) return;
      const int64_t left = parts[size_t(i)], right = parts[size_t(next[size_t(i)])];
      const auto found = merges_.find({left, right});
      if (found != merges_.end()) candidates.emplace(found->second.rank, i, left, right);
    };
    for (int64_t i = 0; i < count; ++i) consider(i);
    constexpr int64_t kGone = -1;
    while (!candidates.empty()) {
      const auto [rank, i, left, right] = candidates.top();
      candidates.pop();
      const int64_t after = next[size_t(i)];
      if (parts[size_t(i)] != left || after == kNone || parts[size_t(after)] != right) continue;
      parts[size_t(i)] = merges_.at({left, right}).token;
      parts[size_t(after)] = kGone;
      next[size_t(i)] = next[size_t(after)];
      if (next[size_t(i)] != kNone) previous[size_t(next[size_t(i)])] = i;
      consider(previous[size_t(i)]);
      consider(i);
    }
    std::erase(parts, kGone);
    return parts;
  }

  const Vocabulary& vocabulary_;
  std::unordered_map<std::pair<int64_t, int64_t>, Merge, PairHash> merges_;
  bool takes_whole_words_ = false;
};

// The pieces with the largest sum of scores.
class Unigram : public TokenModel {
 public:
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores)
      : vocabulary_(vocabulary), scores_(std::move(scores)) {
    constexpr double kPenalty = 10;
    const double least = scores_.empty() ? 0 : *std::ranges::min_element(scores_);
    unknown_score_ = least - kPenalty;
  }

  Status encode(std::string_view word, Tokens& tokens) const override {
    struct Best {
      double score = -std::numeric_limits<double>::infinity();
      size_t from = 0;
      std::optional<int64_t> token{};  // empty: unknown
    };
    std::vector<Best> best(word.size() + 1);
    best[0].score = 0;
    for (size_t from = 0; from < word.size(); from += character(word, from)) {
      const auto offer = [&](size_t length, double score, std::optional<int64_t> token) {
        Best& end = best[from + length];
        if (best[from].score + score > end.score) end = {best[from].score + score, from, token};
      };
      const size_t first = character(word, from);
      bool is_known = false;
      size_t length = first;
      while (length <= std::min(vocabulary_.longest(), word.size() - from)) {
        if (const auto token = vocabulary_.find(word.substr(from, length))) {
          offer(length, scores_[static_cast<size_t>(*token)], token);
          is_known = is_known || length == first;
        }
        if (from + length == word.size()) break;
        length += character(word, from + length);
      }
      if (!is_known) offer(first, unknown_score_, std::nullopt);
    }
    std::vector<std::pair<std::string_view, std::optional<int64_t>>> pieces;  // the last first
    for (size_t end = word.size(); end > 0; end = best[end].from) {
      const std::string_view text = word.substr(best[end].from, end - best[end].from);
      const bool fuses = !best[end].token && !pieces.empty() && !pieces.back().second;
      if (fuses) {
        pieces.back().first = {text.data(), text.size() + pieces.back().first.size()};
      } else {
        pieces.emplace_back(text, best[end].token);
      }
    }
    for (size_t i = pieces.size(); i-- > 0;) {
      const auto& [text, token] = pieces[i];
      if (token) {
        tokens.push_back(*token);
      } else {
        NNRT_TRY(vocabulary_.encode_unknown(text, tokens));
      }
    }
    return {};
  }

 private:
  static size_t character(std::string_view word, size_t at) {
    return std::min(length_of_character(word[at]), word.size() - at);
  }

  const Vocabulary& vocabulary_;
  std::vector<double> scores_;  // by token
  double unknown_score_ = 0;
};

}  // namespace

std::string byte_token(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

void Vocabulary::add(std::string text, int64_t id) {
  longest_ = std::max(longest_, text.size());
  ids_[std::move(text)] = id;
}

std::optional<int64_t> Vocabulary::find(std::string_view text) const {
  const auto found = ids_.find(std::string(text));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

Status Vocabulary::encode_unknown(std::string_view text, Tokens& tokens) const {
  if (falls_back_to_bytes) {
    Tokens bytes;
    for (const char c : text)
      if (const auto token = find(byte_token(static_cast<unsigned char>(c)))) bytes.push_back(*token);
    if (bytes.size() == text.size()) {
      tokens.insert(tokens.end(), bytes.begin(), bytes.end());
      return {};
    }
  }
  if (!unknown) return Error{Code::invalid_parameter, cat("The tokenizer has no token (", text, ").")};
  tokens.push_back(*unknown);
  return {};
}

int64_t token_id(const json& id) { return id.get_ref<const json::number_integer_t&>(); }

Result<std::unique_ptr<TokenModel>> read_token_model(const json& model, Vocabulary& vocabulary) {
  const std::string type = model.value("type", "BPE");
  if (type != "BPE" && type != "Unigram")
    return Error{Code::unsupported, cat("A tokenizer with the model ", type, " is not supported.")};
  vocabulary.falls_back_to_bytes = model.value("byte_fallback", false);
  if (type == "BPE") {
    vocabulary.fuses_unknown = model.value("fuse_unk", false);
    for (const auto& [token, id] : model.at("vocab").items()) vocabulary.add(token, token_id(id));
    const json unknown = model.value("unk_token", json());
    if (unknown.is_string()) vocabulary.unknown = vocabulary.find(unknown.get<std::string>());
    auto bpe = std::make_unique<Bpe>(vocabulary);
    NNRT_TRY(bpe->read(model));
    return std::unique_ptr<TokenModel>(std::move(bpe));
  }
  std::vector<double> scores;
  for (const json& piece : model.at("vocab")) {
    vocabulary.add(piece.at(0).get<std::string>(), static_cast<int64_t>(scores.size()));
    scores.push_back(piece.at(1).get<double>());
  }
  const json unknown = model.value("unk_id", json());
  if (unknown.is_number_integer()) vocabulary.unknown = unknown.get<int64_t>();
  return std::unique_ptr<TokenModel>(std::make_unique<Unigram>(vocabulary, std::move(scores)));
}

}  // namespace nnrt::tool
