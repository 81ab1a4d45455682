#include "backends/plugin/descriptor_loan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <set>

using nnrt::plugin::DescriptorLoan;

namespace {

class DescriptorLoanTest : public testing::Test {
 protected:
  ~DescriptorLoanTest() override { close(fd_); }

  int lend(DescriptorLoan& loan) const { return loan.lend(fd_).value(); }
  static ino_t file_of(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 ? status.st_ino : 0;
  }
  static bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

  const int fd_ = memfd_create("lent", MFD_CLOEXEC);
};

}  // namespace

TEST_F(DescriptorLoanTest, DuplicatesDescriptors) {
  std::set<int> numbers{fd_};
  {
    DescriptorLoan loan;
    for (int i = 0; i < 3; ++i) numbers.insert(lend(loan));
    EXPECT_EQ(numbers.size(), 4u);
    for (const int number : numbers) {
      EXPECT_EQ(file_of(number), file_of(fd_));
      EXPECT_TRUE(number == fd_ || (fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
    }
  }
  for (const int number : numbers) EXPECT_EQ(is_open(number), number == fd_);
}

TEST_F(DescriptorLoanTest, ToleratesDescriptorsClosedByDriver) {
  auto loan = std::make_unique<DescriptorLoan>();
  const int number = lend(*loan);
  close(number);
  const int foreign = memfd_create("foreign", MFD_CLOEXEC);
  ASSERT_EQ(dup2(foreign, number), number);
  loan.reset();
  EXPECT_EQ(file_of(number), file_of(foreign)) << "it belongs to somebody else now";
  close(number);
  close(foreign);
}

TEST_F(DescriptorLoanTest, ReservesNumbersOfDoubleCloses) {
  auto first = std::make_unique<DescriptorLoan>();
  const int number = lend(*first);
  close(number);
  DescriptorLoan second;
  const int other = lend(second);
  EXPECT_NE(other, number);
  close(number);  // the second time
  EXPECT_EQ(file_of(other), file_of(fd_));
  first.reset();
  EXPECT_EQ(file_of(other), file_of(fd_));
  EXPECT_FALSE(is_open(number));
}

TEST_F(DescriptorLoanTest, UsesHighDescriptorNumbers) {
  DescriptorLoan loan;
  close(lend(loan));
  const int opened = memfd_create("opened", MFD_CLOEXEC);
  EXPECT_LT(opened, lend(loan));
  close(opened);
}

TEST_F(DescriptorLoanTest, SharesLastDescriptorWhenExhausted) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit small = before;
  small.rlim_cur = rlim_t(fd_) + 8;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &small), 0);
  std::set<int> numbers;
  {
    DescriptorLoan loan, other;
    for (int i = 0; i < 100; ++i) numbers.insert(lend(loan));
    EXPECT_GT(numbers.size(), 1u);
    EXPECT_LT(numbers.size(), 9u);
    while (dup(fd_) >= 0) {
    }
    const auto none = other.lend(fd_);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code, nnrt::Code::memory);
    EXPECT_EQ(lend(loan), *numbers.rbegin());
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  for (int number = fd_ + 1; number < fd_ + 8; ++number) close(number);
}
