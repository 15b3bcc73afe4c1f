// PMI-1: lines of key=value words with spaces between them, one answer for each request. Keys are in a space with a name,
// which the launcher tells.
#include "backend/launcher/pmi_dialect.hpp"
#include "backend/launcher/pmi_socket.hpp"

namespace xylem::preload {
namespace {

class Pmi1 : public PmiDialect {
 public:
  bool greets_twice() const override { return false; }

  std::string receive(int socket) const override { return receive_line(socket); }

  bool put(int launcher, const std::string& key, const std::string& word) override {
    space_ = value_in(ask(launcher, "get_my_kvsname", "my_kvsname"), "kvsname", ' ');
    const std::string answer = ask(launcher, "put" + place(key) + " value=" + word, "put_result");
    return value_in(answer, "rc", ' ') == "0";
  }

  std::optional<std::string> get(int launcher, const std::string& key) const override {
    const std::string answer = ask(launcher, "get" + place(key), "get_result");
    if (value_in(answer, "rc", ' ') != "0") return std::nullopt;
    return std::string(value_in(answer, "value", ' '));
  }

 private:
  std::string place(const std::string& key) const { return " kvsname=" + space_ + " key=" + key; }

  // The answer without its end of line, or nothing if it is not an answer to this or the launcher is gone.
  std::string ask(int launcher, const std::string& request, std::string_view expected) const {
    if (!send_all(launcher, "cmd=" + request + "\n")) return {};
    std::string answer = receive_line(launcher);
    if (answer.empty()) return {};
    answer.pop_back();
    return value_in(answer, "cmd", ' ') == expected ? answer : std::string();
  }

  std::string space_;
};

}  // namespace

std::unique_ptr<PmiDialect> make_pmi1() { return std::make_unique<Pmi1>(); }

}  // namespace xylem::preload
