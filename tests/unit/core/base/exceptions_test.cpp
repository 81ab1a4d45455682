#include "core/base/exceptions.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <future>
#include <new>
#include <stdexcept>
#include <system_error>

namespace nnrt {
namespace {

template <typename Exception>
Error error_of(const Exception& exception) {
  return catching([&]() -> Status { throw exception; }).error();
}

TEST(Caught, IsMemoryWhereSomethingCannotBeHad) {
  EXPECT_EQ(error_of(std::bad_alloc()).code, Code::memory);
  EXPECT_EQ(error_of(std::length_error("vector")).code, Code::memory);
  for (const int number : {ENOMEM, EAGAIN, EMFILE, ENFILE, ENOBUFS})
    EXPECT_EQ(error_of(std::system_error(number, std::generic_category())).code, Code::memory) << number;
}

TEST(Caught, IsAFailureElsewhere) {
  EXPECT_EQ(error_of(std::system_error(EPERM, std::generic_category())).code, Code::failed);
  EXPECT_EQ(error_of(std::runtime_error("It is so.")).message, "It is so.");
  EXPECT_EQ(error_of(7).code, Code::failed);
  // The same numbers mean something else in another category.
  EXPECT_EQ(error_of(std::system_error(std::make_error_code(std::future_errc::no_state))).code, Code::failed);
}

TEST(Caught, GivesBackWhatIsNotThrown) {
  EXPECT_TRUE(catching([] { return Status(); }).ok());
  EXPECT_EQ(catching([]() -> Result<int> { return 7; }).value(), 7);
  EXPECT_EQ(catching([]() -> Result<int> { throw std::bad_alloc(); }).error().code, Code::memory);
}

TEST(Caught, SaysWhichErrorHasNoValue) {
  const auto read = []() -> Result<int> { return Error{Code::forbidden, "It is so."}; };
  EXPECT_EQ(catching([&]() -> Result<int> { return read().value() + 1; }).error().message, "It is so.");
}

TEST(Caught, ACourtesyFailsInSilence) {
  bool was_called = false;
  best_effort([&] {
    was_called = true;
    throw std::bad_alloc();
  });
  EXPECT_TRUE(was_called);
}

}  // namespace
}  // namespace nnrt
