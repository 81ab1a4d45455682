#include "core/base/exceptions.h"

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

namespace nnrt {
namespace {

// Sets the code first, because creating the message may fail.
template <typename Make>
Error error_with(Code code, const Make& make) noexcept {
  Error error{code, {}};
  best_effort([&] { error.message = make(); });
  return error;
}

}  // namespace

bool is_shortage(int error_number) noexcept {
  switch (error_number) {
    case ENOMEM:
    case EAGAIN:  // no more threads or locked pages
    case EMFILE:
    case ENFILE:
    case ENOBUFS: return true;
    default: return false;
  }
}

Error current_error() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return error_with(Code::memory, [] { return "Out of memory."; });
  } catch (const std::length_error&) {
    return error_with(Code::memory, [] { return "Out of memory."; });
  } catch (const std::system_error& error) {
    const bool has_errno = error.code().category() == std::generic_category() ||
                           error.code().category() == std::system_category();
    if (!has_errno || !is_shortage(error.code().value()))
      return error_with(Code::failed, [&] { return error.what(); });
    return error_with(Code::memory, [&] {
      return std::string("No thread or file descriptor is available: ")
          .append(error.code().message())
          .append(".");
    });
  } catch (const std::exception& error) {
    return error_with(Code::failed, [&] { return error.what(); });
  } catch (...) {
    return error_with(Code::failed, [] { return "An unknown exception was thrown."; });
  }
}

}  // namespace nnrt
