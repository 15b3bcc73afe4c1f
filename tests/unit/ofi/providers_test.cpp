#include "ofi/providers.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <csignal>

#include "base/error.hpp"
#include "ofi/network.hpp"
#include "ranks.hpp"

namespace xylem::ofi::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

// The machine code at the begin of the functions that libfabric's memory hooks would change.
std::string code_of_memory_functions() {
  constexpr std::size_t kJump = 16;
  std::string code;
  for (const char* const name : {"mmap", "munmap", "mremap", "madvise", "shmat", "shmdt", "brk"}) {
    const void* const function = dlsym(RTLD_DEFAULT, name);
    EXPECT_NE(function, nullptr) << name;
    if (function != nullptr) code.append(static_cast<const char*>(function), kJump);
  }
  return code;
}
const std::string kCodeAtStart = code_of_memory_functions();

std::string refusal(const NetworkOptions& options) {
  try {
    Network::open(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), XYLEM_ERROR_INVALID_ARGUMENT);
    return error.what();
  }
  return "not refused";
}

TEST(Providers, ListSaysWhichServeBetweenHosts) {
  const std::vector<ProviderInfo> providers = list_providers();
  EXPECT_THAT(providers, Contains(AllOf(Field(&ProviderInfo::name, "tcp;ofi_rxm"), Field(&ProviderInfo::nic, "lo"),
                                        Field(&ProviderInfo::address, "127.0.0.1"), Field(&ProviderInfo::usable, true),
                                        Field(&ProviderInfo::reason, HasSubstr("loopback")))));
  EXPECT_THAT(providers, Contains(AllOf(Field(&ProviderInfo::name, "shm"), Field(&ProviderInfo::usable, false),
                                        Field(&ProviderInfo::reason, "cannot leave the host"))));
  EXPECT_TRUE(providers.front().usable);
  EXPECT_FALSE(providers.back().usable);
}

TEST(Providers, WrongNameIsRefusedWithTheRightOnes) {
  EXPECT_THAT(refusal(on_loopback("carrier_pigeon")),
              AllOf(HasSubstr("XYLEM_PROVIDER=carrier_pigeon"), HasSubstr("tcp;ofi_rxm"), HasSubstr("shm")));
}

TEST(Providers, NamesCanBeCheckedWithoutANetwork) {
  EXPECT_NO_THROW(check_names(on_loopback("tcp;ofi_rxm")));
  EXPECT_NO_THROW(check_names({}));
  EXPECT_THROW(check_names(on_loopback("carrier_pigeon")), Error);
  EXPECT_THROW(check_names({"", "carrier_pigeon0"}), Error);
}

// In libfabric "ofi_rxm" alone is a filter that matches; a user who writes it gets the whole names.
TEST(Providers, HalfANameIsRefused) { EXPECT_THAT(refusal(on_loopback("ofi_rxm")), HasSubstr("tcp;ofi_rxm")); }

TEST(Providers, WrongInterfaceIsRefusedWithTheRightOnes) {
  EXPECT_THAT(refusal({"tcp;ofi_rxm", "carrier_pigeon0"}), AllOf(HasSubstr("XYLEM_NIC=carrier_pigeon0"), HasSubstr("lo")));
}

TEST(Providers, TheChoiceByInterfaceAloneIsTcpHere) {
  const std::shared_ptr<Network> network = Network::open({"", "lo"});
  EXPECT_THAT(network->provider(), testing::StartsWith("tcp"));
  EXPECT_THAT(network->description(), AllOf(HasSubstr(" on lo ("), HasSubstr("XYLEM_NIC")));
}

TEST(Providers, SharedMemoryNeedsNoInterface) { EXPECT_EQ(Network::open(on_loopback("shm"))->provider(), "shm"); }

TEST(Providers, OneNetworkPerProcessAndProvider) {
  const std::shared_ptr<Network> network = Network::open(on_loopback("tcp;ofi_rxm"));
  EXPECT_EQ(Network::open(on_loopback("tcp;ofi_rxm")), network);
  EXPECT_NE(Network::open(on_loopback("net")), network);
}

// A provider that caches registrations watches the program's memory by code of its own. These do not.
TEST(Providers, MemoryFunctionsOfTheProgramStay) {
  for (const char* const provider : kProviders) {
    const Pair pair(Network::open(on_loopback(provider)), 65536);
    exec::Channel out = pair.links[0]->sender(1), in = pair.links[1]->receiver(0);
    for (std::uint32_t i = 0; i < 2 * exec::kSlots; ++i) {
      send_slot(*pair.links[0], out, pair.links[0]->slot_bytes(), i, *pair.links[1]);
      receive_slot(*pair.links[1], in, pair.links[0]->slot_bytes(), i, *pair.links[0]);
    }
    EXPECT_EQ(code_of_memory_functions(), kCodeAtStart) << provider;
  }
}

TEST(Providers, SignalHandlersOfTheProgramStay) {
  struct sigaction mine {};
  mine.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGINT, &mine, nullptr), 0);
  ASSERT_EQ(sigaction(SIGTERM, &mine, nullptr), 0);
  struct sigaction fault {};
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &fault), 0);
  Network::open(on_loopback("tcp;ofi_rxm"));
  struct sigaction now {};
  ASSERT_EQ(sigaction(SIGINT, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, mine.sa_handler);
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, mine.sa_handler);
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, fault.sa_handler);
}

}  // namespace
}  // namespace xylem::ofi::test
