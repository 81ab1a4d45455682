#include "tools/nnrt/generate/tokenizer.h"

#include "tools/nnrt/generate/tokenizer_json.h"

namespace nnrt::tool {
namespace {

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
