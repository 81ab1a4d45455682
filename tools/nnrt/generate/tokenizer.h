// Converts text to the token ids of a language model, and back.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {

using Tokens = std::vector<int64_t>;

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Fails if the tokenizer has no tokens for a part of the text. With the template, tokens such as one for
  // the beginning are added.
  virtual Result<Tokens> encode(std::string_view text, bool has_template = true) const = 0;
  // The bytes of a token, possibly an incomplete character; empty for an unknown id and for special tokens.
  virtual std::string decode(int64_t token) const = 0;
  // Whether encoding puts a space before a text, which is no part of a text that begins with these tokens.
  virtual bool adds_space() const { return false; }
};

// "bytes": each byte is a token. Otherwise the path of a tokenizer.json: BPE or Unigram, with the steps
// around them.
Result<std::unique_ptr<Tokenizer>> make_tokenizer(const std::string& choice);

}  // namespace nnrt::tool
