// Sends whose completion is an error. Nothing hangs. The strict libfabric, which CTest puts in front, makes the seventh send
// of a payload fail, and the first five of those without.
#include <gmock/gmock.h>

#include "ranks.hpp"

namespace xylem::ofi::test {
namespace {

// The news that slots were read is told again: the sender may wait for nothing else.
TEST(FailedSend, ACreditIsRepeated) {
  Pair pair(Network::open(on_loopback("tcp;ofi_rxm")));
  exec::Channel out = pair.links[0]->sender(1), in = pair.links[1]->receiver(0);
  for (std::uint32_t i = 0; i < 6; ++i) {
    send_slot(*pair.links[0], out, 8, i, *pair.links[1]);
    receive_slot(*pair.links[1], in, 8, i, *pair.links[0]);
  }
}

class FailedPayload : public testing::TestWithParam<std::uint32_t> {};

TEST_P(FailedPayload, EndsTheCommunicatorAndNamesThePeer) {
  const std::shared_ptr<Network> network = Network::open(on_loopback("tcp;ofi_rxm"));
  Pair pair(network);
  Pair bystanders(network);
  exec::Channel out = pair.links[0]->sender(1), in = pair.links[1]->receiver(0);
  std::string failure;
  try {
    for (std::uint32_t i = 0; i < 20; ++i) {
      send_slot(*pair.links[0], out, GetParam(), i, *pair.links[1]);
      receive_slot(*pair.links[1], in, GetParam(), i, *pair.links[0]);
    }
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  EXPECT_THAT(failure, testing::AllOf(testing::HasSubstr("tcp;ofi_rxm"), testing::HasSubstr("cannot send to rank 1: "),
                                      testing::HasSubstr("Input/output error")));
  EXPECT_EQ(pair.links[0]->failed_rank(), 1);
  EXPECT_FALSE(bystanders.links[0]->failed());
  exec::Channel other = bystanders.links[1]->sender(0), other_in = bystanders.links[0]->receiver(1);
  send_slot(*bystanders.links[1], other, 1000, 1, *bystanders.links[0]);
  receive_slot(*bystanders.links[0], other_in, 1000, 1, *bystanders.links[1]);
}

// Injected, and not.
INSTANTIATE_TEST_SUITE_P(Bytes, FailedPayload, testing::Values(8, 1000));

}  // namespace
}  // namespace xylem::ofi::test
