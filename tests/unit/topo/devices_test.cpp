#include <gtest/gtest.h>

#include "fake_root.hpp"
#include "topo/find_devices.hpp"

namespace xylem::topo {

bool operator==(const Device& a, const Device& b) {
  return a.kind == b.kind && a.name == b.name && a.pci == b.pci && a.numa_node == b.numa_node;
}

void PrintTo(const Device& device, std::ostream* out) {
  *out << device.kind << " " << device.name << " at '" << device.pci << "' node " << device.numa_node;
}

namespace {

using Devices = std::vector<Device>;

TEST(Devices, OfNothingAreNone) { EXPECT_EQ(find_devices(FakeRoot().path()), Devices{}); }

TEST(Devices, NicsHaveHardwareBehindThem) {
  const FakeRoot root;
  const std::string bus = "sys/devices/pci0000:00/";
  root.write(bus + "0000:00:03.0/numa_node", "0\n");
  root.write(bus + "0000:3a:00.0/0000:3b:00.1/numa_node", "1\n");
  root.link("sys/class/net/eth0/device", bus + "0000:00:03.0/virtio2");
  root.write("sys/class/net/lo/mtu", "65536\n");
  root.write("sys/class/net/bonding_masters", "\n");
  root.link("sys/class/net/usb0/device", "sys/devices/platform/usb/1-1");
  root.link("sys/class/infiniband/mlx5_0/device", bus + "0000:3a:00.0/0000:3b:00.1");
  EXPECT_EQ(find_devices(root.path()),
            (Devices{{"nic", "eth0", "0000:00:03.0", 0}, {"nic", "usb0", "", -1}, {"nic", "mlx5_0", "0000:3b:00.1", 1}}));
}

TEST(Devices, GpusAreNvidiaDisplaysAndComputeCards) {
  const FakeRoot root;
  const auto pci = [&](const std::string& address, const std::string& pci_class, const std::string& vendor) {
    root.write("sys/bus/pci/devices/" + address + "/class", pci_class + "\n");
    root.write("sys/bus/pci/devices/" + address + "/vendor", vendor + "\n");
    root.write("sys/bus/pci/devices/" + address + "/device", "0x2335\n");
    root.write("sys/bus/pci/devices/" + address + "/numa_node", "-1\n");
  };
  pci("0000:00:02.0", "0x030000", "0x1234");  // a server's display chip
  pci("0000:1a:00.0", "0x030200", "0x10de");
  pci("0000:1b:00.0", "0x030000", "0x10de");
  pci("0000:1b:00.1", "0x040300", "0x10de");  // its sound
  root.write("sys/bus/pci/devices/0000:1a:00.0/numa_node", "1\n");
  root.write("proc/driver/nvidia/gpus/0000:1a:00.0/information", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 24\n");
  EXPECT_EQ(find_devices(root.path()),
            (Devices{{"gpu", "NVIDIA H200", "0000:1a:00.0", 1}, {"gpu", "NVIDIA 0x2335", "0000:1b:00.0", -1}}));
}

TEST(Devices, OfThisMachineAreReadWithoutTrouble) {
  for (const Device& device : devices()) {
    EXPECT_TRUE(device.kind == "nic" || device.kind == "gpu") << device.kind;
    EXPECT_NE(device.name, "lo");
  }
}

}  // namespace
}  // namespace xylem::topo
