#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

namespace xylem {
namespace {

struct Parsed {
  Settings settings;
  std::string complaints;
};

Parsed parse(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  Parsed result;
  result.settings = parse_settings(environment.data(), result.complaints);
  return result;
}

TEST(Settings, AnEmptyEnvironmentGivesTheDefaults) {
  const auto [settings, complaints] = parse({});
  EXPECT_FALSE(settings.disable);
  EXPECT_EQ(settings.log_level, log::Level::warn);
  EXPECT_EQ(settings.stats_file, "");
  EXPECT_EQ(settings.host_id, "");
  EXPECT_EQ(settings.provider, "");
  EXPECT_EQ(settings.nic, "");
  EXPECT_EQ(settings.algorithm, "");
  EXPECT_EQ(settings.chunk_bytes, 0u);
  EXPECT_EQ(settings.cuda, CudaUse::automatic);
  EXPECT_EQ(settings.timeout_seconds, 0.0);
  EXPECT_EQ(complaints, "");
}

TEST(Settings, EveryTypeIsRead) {
  const auto [settings, complaints] =
      parse({"PATH=/bin", "XYLEM_DISABLE=1", "XYLEM_LOG=debug", "XYLEM_STATS=/tmp/a=b.json", "XYLEM_HOSTID=node7",
             "XYLEM_PROVIDER=tcp;ofi_rxm", "XYLEM_NIC=eth0", "XYLEM_ALGORITHM=allreduce:ring,bcast:tree", "XYLEM_CHUNK=64K",
             "XYLEM_CUDA=off", "XYLEM_TIMEOUT=1.5"});
  EXPECT_TRUE(settings.disable);
  EXPECT_EQ(settings.log_level, log::Level::debug);
  EXPECT_EQ(settings.stats_file, "/tmp/a=b.json");
  EXPECT_EQ(settings.host_id, "node7");
  EXPECT_EQ(settings.provider, "tcp;ofi_rxm");
  EXPECT_EQ(settings.nic, "eth0");
  EXPECT_EQ(settings.algorithm, "allreduce:ring,bcast:tree");
  EXPECT_EQ(settings.chunk_bytes, 65536u);
  EXPECT_EQ(settings.cuda, CudaUse::off);
  EXPECT_EQ(settings.timeout_seconds, 1.5);
  EXPECT_EQ(complaints, "");
}

TEST(Settings, AChoiceIsReadInAnyCase) { EXPECT_EQ(parse({"XYLEM_LOG=INFO"}).settings.log_level, log::Level::info); }

TEST(Settings, AnEmptyValueCountsAsUnset) {
  const auto [settings, complaints] = parse({"XYLEM_CHUNK=", "XYLEM_LOG=", "XYLEM_NO_SUCH_NAME="});
  EXPECT_EQ(settings.chunk_bytes, 0u);
  EXPECT_EQ(settings.log_level, log::Level::warn);
  EXPECT_EQ(complaints, "");
}

TEST(Settings, ABadValueIsNamedAndTheDefaultHolds) {
  const auto [settings, complaints] = parse({"XYLEM_CHUNK=12Q", "XYLEM_LOG=loud", "XYLEM_DISABLE=maybe", "XYLEM_TIMEOUT=-1"});
  EXPECT_EQ(settings.chunk_bytes, 0u);
  EXPECT_EQ(settings.log_level, log::Level::warn);
  EXPECT_FALSE(settings.disable);
  EXPECT_EQ(settings.timeout_seconds, 0.0);
  EXPECT_EQ(complaints,
            "XYLEM_CHUNK=12Q: expected a size such as 64, 64K, 1M or 1G; it stays 0\n"
            "XYLEM_LOG=loud: expected off, warn, info or debug; it stays warn\n"
            "XYLEM_DISABLE=maybe: expected 0 or 1; it stays 0\n"
            "XYLEM_TIMEOUT=-1: expected seconds such as 30 or 0.5; it stays 0\n");
}

TEST(Settings, WhatIsWrongIsShownPrintableAndCut) {
  EXPECT_EQ(parse({"XYLEM_LOG=a\x1b[1m\nb"}).complaints,
            "XYLEM_LOG=a\\x1b[1m\\x0ab: expected off, warn, info or debug; it stays warn\n");
  const std::string name = "XYLEM_" + std::string(4096, 'X'), entry = name + "=1";
  EXPECT_EQ(parse({entry.c_str()}).complaints, name.substr(0, 60) + "... is no setting of Xylem\n");
}

TEST(Settings, AnUnknownNameGetsTheNearestKnownOne) {
  EXPECT_EQ(parse({"XYLEM_PROVIDERS=net"}).complaints,
            "XYLEM_PROVIDERS is no setting of Xylem; did you mean XYLEM_PROVIDER?\n");
  EXPECT_EQ(parse({"XYLEM_HOST_ID=a"}).complaints, "XYLEM_HOST_ID is no setting of Xylem; did you mean XYLEM_HOSTID?\n");
  EXPECT_EQ(parse({"XYLEM_ALGO=ring"}).complaints, "XYLEM_ALGO is no setting of Xylem; did you mean XYLEM_ALGORITHM?\n");
  EXPECT_EQ(parse({"XYLEM_LOG_LEVEL=debug"}).complaints, "XYLEM_LOG_LEVEL is no setting of Xylem; did you mean XYLEM_LOG?\n");
  EXPECT_EQ(parse({"XYLEM_QUICKLY=x"}).complaints, "XYLEM_QUICKLY is no setting of Xylem\n");
  EXPECT_EQ(parse({"XYLEM_SATTS=x"}).complaints, "XYLEM_SATTS is no setting of Xylem; did you mean XYLEM_STATS?\n");
  EXPECT_EQ(parse({"xylem_log=x", "XYLEMLOG=x", "NOT_XYLEM_LOG=x", "XYLEM_LOG"}).complaints, "");
}

TEST(Settings, NamesThatPackagingSetsAreNotOurs) {
  EXPECT_EQ(parse({"XYLEM_ROOT=/opt/xylem", "XYLEM_DIR=/opt/xylem", "XYLEM_HOME=/opt", "XYLEM_VERSION=1"}).complaints, "");
}

TEST(SettingInfos, DescribeEachSettingOnce) {
  std::set<std::string_view> names;
  for (const SettingInfo& info : setting_infos()) {
    EXPECT_TRUE(info.name.starts_with("XYLEM_")) << info.name;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(info.help.ends_with('.')) << info.name;
    EXPECT_FALSE(info.accepts.empty()) << info.name;
  }
}

TEST(SettingInfos, GiveTypeDefaultAndScope) {
  const auto find = [](std::string_view name) {
    for (const SettingInfo& info : setting_infos())
      if (info.name == name) return info;
    return SettingInfo{};
  };
  EXPECT_EQ(find("XYLEM_DISABLE").type, "flag");
  EXPECT_EQ(find("XYLEM_DISABLE").default_value, "0");
  EXPECT_FALSE(find("XYLEM_DISABLE").agreed);
  EXPECT_EQ(find("XYLEM_LOG").type, "choice");
  EXPECT_EQ(find("XYLEM_LOG").default_value, "warn");
  EXPECT_EQ(find("XYLEM_LOG").accepts, "off, warn, info or debug");
  EXPECT_EQ(find("XYLEM_STATS").type, "path");
  EXPECT_EQ(find("XYLEM_STATS").default_value, "");
  EXPECT_EQ(find("XYLEM_CHUNK").type, "bytes");
  EXPECT_TRUE(find("XYLEM_CHUNK").agreed);
  EXPECT_EQ(find("XYLEM_TIMEOUT").type, "seconds");
}

TEST(Environment, IsHandedOnWithoutWhatBeginsSo) {
  setenv("SETTINGS_TEST_KEPT", "1", 1);
  setenv("SETTINGS_TEST_LEFT_OUT", "2", 1);
  constexpr std::string_view prefixes[] = {"PMI_", "SETTINGS_TEST_LEFT"};
  const std::vector<std::string> kept = environment_without(prefixes);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), "SETTINGS_TEST_KEPT=1"), 1);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), "SETTINGS_TEST_LEFT_OUT=2"), 0);
}

}  // namespace
}  // namespace xylem
