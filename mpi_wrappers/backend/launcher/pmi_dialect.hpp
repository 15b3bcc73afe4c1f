// What PMI-1 and PMI-2 differ in after their common greeting: how a message is framed, and the words for put and get.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace xylem::preload {

class PmiDialect {
 public:
  virtual ~PmiDialect() = default;

  // The MPI greets a second time before anything may be put.
  virtual bool greets_twice() const = 0;
  // One whole message as it came; empty: the other end is gone.
  virtual std::string receive(int socket) const = 0;
  // Whether the launcher took the word.
  virtual bool put(int launcher, const std::string& key, const std::string& word) = 0;
  virtual std::optional<std::string> get(int launcher, const std::string& key) const = 0;
};

std::unique_ptr<PmiDialect> make_pmi1();
std::unique_ptr<PmiDialect> make_pmi2();

// The value of `key` in a message of key=value words with `separator` between them; empty if it is not there.
std::string_view value_in(std::string_view message, std::string_view key, char separator);

}  // namespace xylem::preload
