#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace xylem {
namespace {

TEST(SystemError, SaysWhatFailedAndWhy) {
  errno = EACCES;
  const Error error = system_error("open /proc/7/fd/3");
  EXPECT_STREQ(error.what(), "open /proc/7/fd/3: Permission denied");
  EXPECT_EQ(error.code(), XYLEM_ERROR_SYSTEM);
}

TEST(SystemError, TellsWhatRanOut) {
  for (const int code : {ENOMEM, ENOSPC, EMFILE, ENFILE, EDQUOT}) {
    errno = code;
    EXPECT_EQ(system_error("memfd_create").code(), XYLEM_ERROR_OUT_OF_MEMORY) << code;
  }
}

}  // namespace
}  // namespace xylem
