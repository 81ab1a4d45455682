// Writes to standard output, and to standard error.
#pragma once

#include "core/base/result.h"

#include <ostream>
#include <streambuf>
#include <string>

namespace nnrt::tool {

// Stands behind std::cout, whoever writes there, as long as it lives. Names in files reach the terminal
// without their control characters, and what cannot be written is not lost in silence.
class Output : private std::streambuf {
 public:
  // `stream` goes to the descriptor from now on.
  Output(std::ostream& stream, int descriptor);
  ~Output() override;

  // Writes what is left. Fails if anything could not be written since the beginning.
  Status finish();

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  // All but the beginning of a character.
  bool write_lines();
  bool write(std::string_view bytes);

  std::ostream& stream_;
  std::streambuf* before_;
  int descriptor_, error_ = 0;
  std::string waiting_;
};

}  // namespace nnrt::tool
