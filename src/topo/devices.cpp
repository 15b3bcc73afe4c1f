// Devices come from /sys and not from hwloc's I/O objects: these hold the same, but cost another 10 ms and list an NVIDIA GPU
// only with plugins that start its driver.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string_view>

#include "topo/files.hpp"
#include "topo/find_devices.hpp"

namespace xylem::topo {
namespace {

namespace fs = std::filesystem;

// "0000:3b:00.0"
bool is_pci_address(std::string_view text) {
  constexpr std::string_view kShape = "xxxx:xx:xx.x";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(), [](char c, char shape) {
    return shape == 'x' ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c == shape;
  });
}

// A device may sit on another bus (virtio, say) that hangs on a PCI device: the innermost PCI device on the way to it.
fs::path pci_device(const fs::path& device) {
  std::error_code unreadable;
  fs::path path = fs::canonical(device, unreadable);
  while (path.has_relative_path() && !is_pci_address(path.filename().string())) path = path.parent_path();
  return path.has_relative_path() ? path : fs::path();
}

int numa_node(const fs::path& device) {
  const std::string text = read_line(device / "numa_node");
  int node = -1;
  std::from_chars(text.data(), text.data() + text.size(), node);
  return node;
}

void add_nics(const fs::path& device_class, std::vector<Device>& devices) {
  for (const fs::path& entry : entries(device_class)) {
    const fs::path device = entry / "device";
    std::error_code unreadable;
    if (!fs::exists(device, unreadable)) continue;  // loopback, bridges, tunnels
    const fs::path pci = pci_device(device);
    devices.push_back({"nic", entry.filename().string(), pci.filename().string(), numa_node(pci.empty() ? device : pci)});
  }
}

// The model as the driver names it: "Model:   NVIDIA H200".
std::string nvidia_model(const fs::path& information) {
  std::istringstream lines(read_text(information));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Model:")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", std::string_view("Model:").size());
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

void add_gpus(const fs::path& root, std::vector<Device>& devices) {
  for (const fs::path& pci : entries(root / "sys/bus/pci/devices")) {
    const std::string pci_class = read_line(pci / "class");
    const bool displays_or_computes = pci_class.starts_with("0x0300") || pci_class.starts_with("0x0302");
    if (!displays_or_computes || read_line(pci / "vendor") != "0x10de") continue;
    const std::string address = pci.filename().string();
    std::string name = nvidia_model(root / "proc/driver/nvidia/gpus" / address / "information");
    if (name.empty()) name = "NVIDIA " + read_line(pci / "device");
    devices.push_back({"gpu", name, address, numa_node(pci)});
  }
}

}  // namespace

std::vector<Device> find_devices(const fs::path& root) {
  std::vector<Device> devices;
  add_nics(root / "sys/class/net", devices);
  add_nics(root / "sys/class/infiniband", devices);
  add_gpus(root, devices);
  return devices;
}

const std::vector<Device>& devices() {
  // Never destroyed: see settings().
  static const std::vector<Device>& it = *new std::vector<Device>(find_devices("/"));
  return it;
}

}  // namespace xylem::topo
