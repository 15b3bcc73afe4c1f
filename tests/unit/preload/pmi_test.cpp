// A launcher and an MPI that speak PMI-1 or PMI-2 with each other, as srun --mpi=pmi2 and what it starts do, and the library
// between them: the MPI notices nothing, and each rank learns who else has the library.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/launcher/key_value_space.hpp"
#include "backend/launcher/pmi_dialect.hpp"
#include "backend/launcher/pmi_socket.hpp"

namespace xylem::preload {
namespace {

// The words of the two languages, on both sides of the test.
struct Language {
  const char* version;
  char separator;

  // How CTest calls it.
  friend void PrintTo(const Language& language, std::ostream* out) { *out << "PMI-" << language.version; }

  bool second() const { return version[0] == '2'; }
  std::string framed(const std::string& words) const {
    if (!second()) return words + "\n";
    const std::string body = words + ";";
    std::string length = std::to_string(body.size());
    length.resize(6, ' ');
    return length + body;
  }
  std::string receive(int socket) const {
    if (!second()) {
      std::string line = receive_line(socket);
      if (!line.empty()) line.pop_back();
      return line;
    }
    const std::string length = receive_bytes(socket, 6);
    return receive_bytes(socket, static_cast<std::size_t>(std::atoi(length.c_str())));
  }
  std::string words(std::initializer_list<std::string> list) const {
    std::string text;
    for (const std::string& word : list) text += (text.empty() ? "" : std::string(1, separator)) + word;
    return text;
  }
};

// What has been put becomes visible when all ranks have met at the fence.
class Launcher {
 public:
  Launcher(const Language& language, int ranks) : language_(language), ranks_(ranks) {}

  void serve(int socket) {
    const std::string greeting = receive_line(socket);
    EXPECT_EQ(value_in(greeting.substr(0, greeting.size() - 1), "cmd", ' '), "init");
    send_all(socket, std::string("cmd=response_to_init rc=0 pmi_version=") + language_.version + " pmi_subversion=0\n");
    bool ready = !language_.second();
    for (std::string request; !(request = language_.receive(socket)).empty();) {
      const std::string command(value_in(request, "cmd", language_.separator));
      // srun hangs up on who puts before its second greeting, and on who greets again.
      EXPECT_EQ(command == "fullinit", !ready) << request;
      EXPECT_NE(command, "init") << request;
      ready = true;
      send_all(socket, language_.framed(answer(command, request)));
    }
  }

 private:
  std::string answer(const std::string& command, const std::string& request) {
    const std::string key(value_in(request, "key", language_.separator));
    if (command == "fullinit") return "cmd=fullinit-response;rc=0;pmi-version=2;rank=0";
    if (command == "get_my_kvsname") return "cmd=my_kvsname kvsname=job0 with=spaces";
    if (command == "put" || command == "kvs-put") {
      const std::scoped_lock lock(mutex_);
      pending_[key] = value_in(request, "value", language_.separator);
      return language_.words({"cmd=" + answering(command, "put_result"), "rc=0"});
    }
    if (command == "get" || command == "kvs-get") {
      const std::scoped_lock lock(mutex_);
      const auto found = published_.find(key);
      const std::string name = "cmd=" + answering(command, "get_result");
      if (found != published_.end()) return language_.words({name, "rc=0", "value=" + found->second});
      return language_.words({name, language_.second() ? "rc=0" : "rc=1", "found=FALSE"});
    }
    if (command == "barrier_in" || command == "kvs-fence") {
      fence();
      return language_.words({"cmd=" + answering(command, "barrier_out"), "rc=0"});
    }
    ADD_FAILURE() << "the launcher was told " << request;
    return "cmd=unknown";
  }

  std::string answering(const std::string& command, const char* first) const {
    return language_.second() ? command + "-response" : first;
  }

  void fence() {
    std::unique_lock lock(mutex_);
    if (++arrived_ == ranks_) {
      published_ = pending_;
      met_.notify_all();
    }
    met_.wait(lock, [this] { return arrived_ == ranks_; });
  }

  const Language& language_;
  int ranks_;
  int arrived_ = 0;
  std::mutex mutex_;
  std::condition_variable met_;
  std::map<std::string, std::string> pending_, published_;
};

// What an MPI says in MPI_Init.
void initialise_mpi(int socket, const Language& language) {
  send_all(socket, std::string("cmd=init pmi_version=") + language.version + " pmi_subversion=0\n");
  EXPECT_EQ(receive_line(socket),
            std::string("cmd=response_to_init rc=0 pmi_version=") + language.version + " pmi_subversion=0\n");
  if (language.second()) {
    send_all(socket, language.framed("cmd=fullinit;pmijobid=1.0;pmirank=0;threaded=FALSE"));
    EXPECT_EQ(language.receive(socket), "cmd=fullinit-response;rc=0;pmi-version=2;rank=0;");
  }
  send_all(socket, language.framed(language.second() ? "cmd=kvs-fence" : "cmd=barrier_in"));
  EXPECT_EQ(language.receive(socket), language.second() ? "cmd=kvs-fence-response;rc=0;" : "cmd=barrier_out rc=0");
}

class Pmi : public testing::TestWithParam<Language> {
 protected:
  // `with_library`: by rank. Calls `check(space)` on each rank that has it, after its MPI is ready.
  template <class Check>
  void run(const std::vector<bool>& with_library, const Check& check) {
    const Language language = GetParam();
    const int ranks = static_cast<int>(with_library.size());
    Launcher launcher(language, ranks);
    std::vector<std::thread> threads;
    std::vector<Descriptor> mine;
    std::vector<std::unique_ptr<KeyValueSpace>> spaces;
    for (int rank = 0; rank < ranks; ++rank) {
      std::array<int, 2> pair{};
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
      mine.emplace_back(pair[0]);
      threads.emplace_back([&launcher, theirs = pair[1]] { launcher.serve(Descriptor(theirs).number()); });
      setenv("PMI_FD", std::to_string(pair[0]).c_str(), 1);
      setenv("PMI_RANK", std::to_string(rank).c_str(), 1);
      spaces.push_back(with_library[static_cast<std::size_t>(rank)] ? open_key_value_space() : nullptr);
    }
    std::vector<std::thread> processes;
    for (std::size_t rank = 0; rank < mine.size(); ++rank) {
      processes.emplace_back([&, rank] {
        KeyValueSpace* const space = spaces[rank].get();
        if (space != nullptr) space->put("word-of-" + std::to_string(rank));
        initialise_mpi(mine[rank].number(), language);
        if (space == nullptr) return;
        EXPECT_EQ(space->rank(), static_cast<int>(rank));
        EXPECT_TRUE(space->published());
        check(*space);
      });
    }
    for (std::thread& process : processes) process.join();
    spaces.clear();
    mine.clear();  // the launcher sees them end
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_P(Pmi, EveryRankReadsTheWordsOfAll) {
  run({true, true, true}, [](KeyValueSpace& space) {
    for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(space.get(rank), "word-of-" + std::to_string(rank));
  });
}

TEST_P(Pmi, ARankWithoutTheLibraryHasNoWord) {
  run({true, false, true}, [](KeyValueSpace& space) {
    EXPECT_EQ(space.get(0), "word-of-0");
    EXPECT_EQ(space.get(1), std::nullopt);
    EXPECT_EQ(space.get(2), "word-of-2");
  });
}

INSTANTIATE_TEST_SUITE_P(Version, Pmi, testing::Values(Language{"1", ' '}, Language{"2", ';'}),
                         [](const auto& instance) { return instance.param.version; });

TEST(PmiWithoutALauncher, ThereIsNoSpace) {
  unsetenv("PMI_FD");
  EXPECT_EQ(open_key_value_space(), nullptr);
}

}  // namespace
}  // namespace xylem::preload
