#include "ofi/candidates.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "ofi/address.hpp"
#include "ofi/signal_guard.hpp"

namespace xylem::ofi {
namespace {

struct Preference {
  std::string_view name;
  bool usable;
  std::string_view reason;
};

// Best first. A provider that is not here is taken only when the user names it, like those that are not usable.
constexpr std::array kPreferences = {
    Preference{"cxi", true, "Slingshot hardware"},
    Preference{"efa", true, "EFA hardware"},
    Preference{"verbs;ofi_rxm", true, "InfiniBand or RoCE hardware"},
    Preference{"psm3", true, "Ethernet hardware with PSM3"},
    Preference{"opx", true, "Omni-Path hardware"},
    Preference{"psm2", true, "Omni-Path hardware"},
    Preference{"psm", true, "TrueScale hardware"},
    Preference{"tcp", true, "TCP with reliable datagrams of its own"},
    Preference{"tcp;ofi_rxm", true, "TCP"},
    Preference{"net", true, "TCP, an experimental provider"},
    Preference{"udp;ofi_rxd", true, "UDP, slower than TCP"},
    Preference{"shm", false, "cannot leave the host"},
    Preference{"sockets", false, "a thousand times slower than tcp"},
};
constexpr Preference kUnknown{"", false, "not known to work well"};

struct Judged {
  Candidate candidate;
  std::size_t preference;
  Reach reach;
  bool v6;
};

constexpr std::string_view text_of(Reach reach) {
  constexpr std::array<std::string_view, 5> kTexts = {"", ", on a bridge of this host", ", with a link-local address",
                                                      ", on loopback: other hosts cannot be reached", ""};
  return kTexts[static_cast<std::size_t>(reach)];
}

std::span<const std::byte> source_address(const fi_info& info) {
  return {static_cast<const std::byte*>(info.src_addr), info.src_addr != nullptr ? info.src_addrlen : 0};
}

Judged judge_one(const fi_info& info) {
  const auto found = std::find_if(kPreferences.begin(), kPreferences.end(),
                                  [&](const Preference& known) { return known.name == info.fabric_attr->prov_name; });
  const Preference& preference = found != kPreferences.end() ? *found : kUnknown;
  const Reach reach = reach_of(info.addr_format, source_address(info), info.domain_attr->name);
  std::string reason(preference.reason);
  reason += text_of(reach);
  return {{&info, preference.usable, std::move(reason)},
          static_cast<std::size_t>(found - kPreferences.begin()),
          reach,
          info.addr_format == FI_SOCKADDR_IN6};
}

std::string names_of(const std::vector<Candidate>& candidates, const char* (*name)(const fi_info&)) {
  std::set<std::string> names;
  for (const Candidate& candidate : candidates) names.insert(name(*candidate.info));
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text.empty() ? "none" : text;
}

const char* provider_name(const fi_info& info) { return info.fabric_attr->prov_name; }
const char* nic_name(const fi_info& info) { return info.domain_attr->name; }

// Shared memory has no network interface, so that one setting can serve runs with any provider.
bool on_nic(const fi_info& info, const std::string& nic) {
  return nic.empty() || nic == nic_name(info) ||
         reach_of(info.addr_format, source_address(info), nic_name(info)) == Reach::shared_memory;
}

}  // namespace

Info offered(const std::string& provider) {
  const Library& lib = library();
  const SignalGuard guard;
  const Info hints(lib.dupinfo(nullptr));
  if (hints == nullptr) throw Error(XYLEM_ERROR_OUT_OF_MEMORY, "libfabric: no memory for fi_allocinfo");
  hints->caps = FI_TAGGED | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  // One mutex guards the domain (see Hub), and waiting ranks drive it.
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->cq_data_size = sizeof(std::uint64_t);
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  // Released with the hints, by free().
  if (!provider.empty()) hints->fabric_attr->prov_name = strdup(provider.c_str());

  fi_info* list = nullptr;
  const std::uint32_t version = std::min<std::uint32_t>(lib.version(), FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION));
  const int code = lib.getinfo(version, nullptr, nullptr, 0, hints.get(), &list);
  if (code != 0 && code != -FI_ENODATA)
    throw Error(XYLEM_ERROR_SYSTEM, std::string("libfabric: fi_getinfo: ") + lib.strerror(-code));
  return Info(list);
}

std::vector<Candidate> judge(const fi_info* list) {
  std::vector<Judged> judged;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const fi_info* info = list; info != nullptr; info = info->next) {
    if (seen.emplace(provider_name(*info), nic_name(*info), address_text(info->addr_format, source_address(*info))).second)
      judged.push_back(judge_one(*info));
  }
  // libfabric's own order, fastest interface first, decides between equals.
  std::stable_sort(judged.begin(), judged.end(), [](const Judged& left, const Judged& right) {
    return std::tie(left.preference, left.reach, left.v6) < std::tie(right.preference, right.reach, right.v6);
  });
  std::vector<Candidate> candidates;
  for (Judged& each : judged) candidates.push_back(std::move(each.candidate));
  return candidates;
}

std::vector<ProviderInfo> list_providers() {
  const Info list = offered("");
  std::vector<ProviderInfo> providers;
  for (const Candidate& candidate : judge(list.get())) {
    const fi_info& info = *candidate.info;
    const char* const fabric = info.fabric_attr->name;
    providers.push_back({provider_name(info), nic_name(info), fabric != nullptr ? fabric : "",
                         address_text(info.addr_format, source_address(info)), candidate.usable, candidate.reason});
  }
  return providers;
}

void check_names(const NetworkOptions& options) {
  try {
    choose_provider(options);
  } catch (const Error& error) {
    if (error.code() != XYLEM_ERROR_UNSUPPORTED) throw;
  }
}

Choice choose_provider(const NetworkOptions& options) {
  const Info list = offered(options.provider);
  const std::vector<Candidate> candidates = judge(list.get());
  const bool named = !options.provider.empty();
  bool known = !named;
  for (const Candidate& candidate : candidates) {
    // libfabric takes a name such as "tcp" for all that is built on it; we mean exactly what the user wrote.
    if (named && options.provider != provider_name(*candidate.info)) continue;
    known = true;
    if ((!named && !candidate.usable) || !on_nic(*candidate.info, options.nic)) continue;
    std::string reason = named ? "asked for by XYLEM_PROVIDER" : candidate.reason;
    if (!options.nic.empty()) reason += ", interface asked for by XYLEM_NIC";
    return {Info(library().dupinfo(candidate.info)), std::move(reason)};
  }
  if (!known) {
    const Info all = offered("");
    throw Error(XYLEM_ERROR_INVALID_ARGUMENT, "XYLEM_PROVIDER=" + options.provider +
                                                  ": libfabric has no such provider here; it has " +
                                                  names_of(judge(all.get()), provider_name));
  }
  if (!options.nic.empty())
    throw Error(XYLEM_ERROR_INVALID_ARGUMENT, "XYLEM_NIC=" + options.nic +
                                                  ": libfabric has no such network interface here; it has " +
                                                  names_of(candidates, nic_name));
  throw Error(XYLEM_ERROR_UNSUPPORTED, "libfabric has no usable provider here; it has " +
                                           names_of(candidates, provider_name) +
                                           " (XYLEM_PROVIDER takes one of them by name)");
}

}  // namespace xylem::ofi
