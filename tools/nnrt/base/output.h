// Standard output and standard error.
#pragma once

#include "core/base/result.h"

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace nnrt::tool {

// Prints "nnrt: " and the sentence on standard error.
void tell(std::string_view sentence);

// Replaces the buffer of std::cout or std::cerr during its lifetime. Escapes control characters, which may
// come from names in files, and reports write errors.
class Output : public std::streambuf {
 public:
  // Redirects `stream` to the descriptor.
  Output(std::ostream& stream, int descriptor);
  ~Output() override;

  // Flushes. Fails if any write failed.
  Status finish();

  bool has_styles() const { return has_styles_; }
  // Writes an escape sequence as it is.
  void write_escape(std::string_view sequence);

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  // Keeps back an incomplete UTF-8 character.
  bool write_lines();
  bool write(std::string_view bytes);

  std::ostream& stream_;
  std::streambuf* before_;
  int descriptor_, error_ = 0;
  bool has_styles_;
  std::string waiting_;
};

}  // namespace nnrt::tool
