// Memory that cannot be registered, for the system locks no more. The strict libfabric, which CTest puts in front, keeps to
// RLIMIT_MEMLOCK as hardware would.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/error.hpp"
#include "ranks.hpp"

namespace xylem::ofi::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LockedMemory : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before_), 0); }
  void TearDown() override { setrlimit(RLIMIT_MEMLOCK, &before_); }
  void allow(rlim_t bytes) const {
    const rlimit limit{bytes, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  }

 private:
  rlimit before_{};
};

template <class Step>
std::string refusal(const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), XYLEM_ERROR_OUT_OF_MEMORY);
    return error.what();
  }
  return "not refused";
}

constexpr rlim_t kLittle = 40960;

TEST_F(LockedMemory, ANetworkThatMayNotHaveItNamesTheLimit) {
  allow(kLittle);
  EXPECT_THAT(refusal([] { Network::open(on_loopback("tcp;ofi_rxm")); }),
              AllOf(HasSubstr("libfabric provider tcp;ofi_rxm on lo: fi_mr_reg of 4194304 bytes (RLIMIT_MEMLOCK allows 40960 "
                              "bytes of locked memory"),
                    HasSubstr("ulimit -l"), HasSubstr("Cannot allocate memory")));
}

TEST_F(LockedMemory, AChannelThatMayNotHaveItNamesTheLimit) {
  Pair pair(Network::open(on_loopback("tcp;ofi_rxm")), 65536);
  allow(kLittle);
  EXPECT_THAT(refusal([&] { pair.links[0]->sender(1); }), HasSubstr("(RLIMIT_MEMLOCK allows 40960 bytes of locked memory"));
}

}  // namespace
}  // namespace xylem::ofi::test
