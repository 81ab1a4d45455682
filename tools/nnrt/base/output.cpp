#include "tools/nnrt/base/output.h"

#include "core/base/printable.h"
#include "core/base/text.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace nnrt::tool {
namespace {

constexpr size_t kMaxWaiting = size_t{1} << 16;

}  // namespace

void tell(std::string_view sentence) { std::cerr << "nnrt: " << printable(sentence) << std::endl; }

namespace {

bool shows_styles(int descriptor) {
  const char *const off = std::getenv("NO_COLOR"), *const term = std::getenv("TERM");
  return (off == nullptr || *off == '\0') && term != nullptr && std::string_view(term) != "dumb" &&
         isatty(descriptor) == 1;
}

}  // namespace

Output::Output(std::ostream& stream, int descriptor)
    : stream_(stream),
      before_(stream.rdbuf(this)),
      descriptor_(descriptor),
      has_styles_(shows_styles(descriptor)) {}

Output::~Output() {
  sync();
  stream_.rdbuf(before_);
}

Status Output::finish() {
  sync();
  if (!waiting_.empty()) write(printable_lines(waiting_));
  waiting_.clear();
  if (error_ == 0) return {};
  return Error{Code::failed, cat("Standard output cannot be written: ", std::strerror(error_), ".")};
}

Output::int_type Output::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

std::streamsize Output::xsputn(const char* text, std::streamsize size) {
  waiting_.append(text, static_cast<size_t>(size));
  return waiting_.size() < kMaxWaiting || write_lines() ? size : 0;
}

int Output::sync() { return write_lines() ? 0 : -1; }

void Output::write_escape(std::string_view sequence) {
  if (write_lines()) write(sequence);
}

bool Output::write_lines() {
  const size_t whole = waiting_.size() - unfinished(waiting_);
  const bool written = write(printable_lines(std::string_view(waiting_).substr(0, whole)));
  waiting_.erase(0, whole);
  return written;
}

// Nothing is written after an error: the output would have a gap.
bool Output::write(std::string_view bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return error_ == 0;
}

}  // namespace nnrt::tool
