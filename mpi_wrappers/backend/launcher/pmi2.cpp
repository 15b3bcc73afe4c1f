// PMI-2: messages of key=value words, each with a semicolon after it, behind their length in six characters. This is what
// MPIs say that go through SLURM's libpmi2 (Intel MPI, MVAPICH, MPICH built with it).
#include <array>
#include <cstdio>
#include <cstdlib>

#include "backend/launcher/pmi_dialect.hpp"
#include "backend/launcher/pmi_socket.hpp"

namespace xylem::preload {
namespace {

constexpr std::size_t kLengthDigits = 6;

class Pmi2 : public PmiDialect {
 public:
  // "fullinit", which tells the MPI its rank.
  bool greets_twice() const override { return true; }

  std::string receive(int socket) const override {
    const std::string length = receive_bytes(socket, kLengthDigits);
    const std::string body = receive_bytes(socket, std::strtoul(length.c_str(), nullptr, 10));
    return body.empty() ? std::string() : length + body;
  }

  bool put(int launcher, const std::string& key, const std::string& word) override {
    const std::string answer = ask(launcher, "kvs-put;key=" + key + ";value=" + word + ";", "kvs-put-response");
    return value_in(answer, "rc", ';') == "0";
  }

  std::optional<std::string> get(int launcher, const std::string& key) const override {
    const std::string answer = ask(launcher, "kvs-get;key=" + key + ";", "kvs-get-response");
    const std::string_view value = value_in(answer, "value", ';');
    if (value_in(answer, "rc", ';') != "0" || value.empty()) return std::nullopt;
    return std::string(value);
  }

 private:
  // The words of the answer, or nothing if it is not an answer to this or the launcher is gone.
  std::string ask(int launcher, const std::string& request, std::string_view expected) const {
    const std::string body = "cmd=" + request;
    std::array<char, kLengthDigits + 1> length{};
    std::snprintf(length.data(), length.size(), "%-6zu", body.size());
    if (!send_all(launcher, length.data() + body)) return {};
    std::string answer = receive(launcher);
    if (answer.empty()) return {};
    answer.erase(0, kLengthDigits);
    return value_in(answer, "cmd", ';') == expected ? answer : std::string();
  }
};

}  // namespace

std::unique_ptr<PmiDialect> make_pmi2() { return std::make_unique<Pmi2>(); }

}  // namespace xylem::preload
