// From words to tokens: the models of tokenizer.json.
#pragma once

#include "tools/nnrt/generate/tokenizer.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <unordered_map>

namespace nnrt::tool {

class TokenModel {
 public:
  virtual ~TokenModel() = default;

  // Fails if the model has no token for a part of the word.
  virtual Status encode(std::string_view word, Tokens& tokens) const = 0;
};

// The ids of tokens by their text.
class Vocabulary {
 public:
  void add(std::string text, int64_t id);
  std::optional<int64_t> find(std::string_view text) const;
  const std::unordered_map<std::string, int64_t>& ids() const { return ids_; }
  size_t longest() const { return longest_; }  // bytes

  // The unknown part as tokens of its bytes, "<0x0A>", if the model falls back to them and has them; else as
  // the unknown token.
  Status encode_unknown(std::string_view text, Tokens& tokens) const;

  bool falls_back_to_bytes = false;
  bool fuses_unknown = false;  // consecutive unknown parts are one token
  std::optional<int64_t> unknown;

 private:
  std::unordered_map<std::string, int64_t> ids_;
  size_t longest_ = 0;
};

// BPE or Unigram. Throws json::exception for what is no model; fails for kinds and options that are not
// supported. `vocabulary` receives the tokens.
Result<std::unique_ptr<TokenModel>> read_token_model(const nlohmann::json& model, Vocabulary& vocabulary);

// An integer; throws json::exception for other numbers too.
int64_t token_id(const nlohmann::json& id);

// "<0x0A>"
std::string byte_token(unsigned char byte);

}  // namespace nnrt::tool
