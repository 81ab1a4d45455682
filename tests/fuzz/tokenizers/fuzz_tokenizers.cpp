// Bytes as a tokenizer.json: refused, or a tokenizer that encodes texts and decodes tokens.
#include "tests/fuzz/fuzz_target.h"
#include "tools/nnrt/generate/tokenizer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

FUZZ_TARGET(tokenizers)(const uint8_t* data, size_t size) {
  static const int file = memfd_create("tokenizer.json", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != ssize_t(size)) std::abort();
  const auto tokenizer = nnrt::tool::make_tokenizer(path);
  if (!tokenizer.ok()) return 0;
  for (const char* const text :
       {"", "hello  w\u00f6rld 12!\n<end>", " \u0627\u4e2d\U0001f600e\u0301 HE", "\xff\xc3"})
    static_cast<void>(tokenizer.value()->encode(text));
  for (int64_t token = -1; token < 64; ++token) static_cast<void>(tokenizer.value()->decode(token));
  return 0;
}
