// PMIx, as Open MPI's mpirun and srun --mpi=pmix speak it. PMIx_Init counts its callers: the MPI's own use is not disturbed.
#include <dlfcn.h>
#include <pmix.h>

#include <cstdlib>
#include <cstring>

#include "backend/launcher/key_value_space.hpp"
#include "backend/mpi_functions.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"

namespace xylem::preload {
namespace {

constexpr const char* kKey = "xylem.word";

struct Functions {
  decltype(&PMIx_Initialized) initialized;
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Get) get;
  decltype(&PMIx_Error_string) error_string;
};

template <class Function>
bool look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

bool look_up(void* library, Functions& f) {
  return look_up(library, "PMIx_Initialized", f.initialized) && look_up(library, "PMIx_Init", f.init) &&
         look_up(library, "PMIx_Finalize", f.finalize) && look_up(library, "PMIx_Put", f.put) &&
         look_up(library, "PMIx_Commit", f.commit) && look_up(library, "PMIx_Get", f.get) &&
         look_up(library, "PMIx_Error_string", f.error_string);
}

// The library that the MPI uses or is going to use: Open MPI 5 has loaded it, Open MPI 4 opens it in MPI_Init, by its name
// or, where it was installed with the MPI, from the MPI's own directory.
void* open_library() {
  constexpr const char* kName = "libpmix.so.2";
  if (void* const loaded = dlopen(kName, RTLD_LAZY | RTLD_NOLOAD)) return loaded;
  Dl_info mpi;
  if (dladdr(reinterpret_cast<void*>(real().Init), &mpi) != 0) {
    std::string beside = mpi.dli_fname;
    beside.resize(beside.rfind('/') + 1);
    if (void* const found = dlopen((beside + kName).c_str(), RTLD_LAZY)) return found;
  }
  return dlopen(kName, RTLD_LAZY);
}

class Pmix : public KeyValueSpace {
 public:
  // `first`: nobody else had initialised PMIx. The MPI finds it so, too, for Open MPI 5 could not go on otherwise.
  Pmix(const Functions& functions, const pmix_proc_t& me, bool first) : pmix_(functions), me_(me) {
    if (first) front().hide_pmix(1);
  }
  ~Pmix() override {
    front().hide_pmix(0);
    pmix_.finalize(nullptr, 0);
  }
  Pmix(const Pmix&) = delete;
  Pmix& operator=(const Pmix&) = delete;

  int rank() const override { return static_cast<int>(me_.rank); }

  void put(const std::string& word) override {
    pmix_value_t value{};
    value.type = PMIX_STRING;
    value.data.string = const_cast<char*>(word.c_str());  // only read
    published_ = pmix_.put(PMIX_GLOBAL, kKey, &value) == PMIX_SUCCESS && pmix_.commit() == PMIX_SUCCESS;
  }

  bool published() override {
    front().hide_pmix(0);
    return published_;
  }

  std::optional<std::string> get(int rank) override {
    pmix_proc_t peer = me_;
    peer.rank = static_cast<pmix_rank_t>(rank);
    // MPI_Init has brought all words to all hosts: what is not there will not come. By default it would be waited for.
    pmix_info_t at_once{};
    std::strncpy(at_once.key, PMIX_IMMEDIATE, sizeof at_once.key - 1);
    at_once.value.type = PMIX_BOOL;
    at_once.value.data.flag = true;
    pmix_value_t* value = nullptr;
    if (pmix_.get(&peer, kKey, &at_once, 1, &value) != PMIX_SUCCESS || value == nullptr) return std::nullopt;
    std::optional<std::string> word;
    if (value->type == PMIX_STRING && value->data.string != nullptr) {
      word = value->data.string;
      std::free(value->data.string);
    }
    std::free(value);
    return word;
  }

 private:
  Functions pmix_;
  pmix_proc_t me_;
  bool published_ = false;
};

}  // namespace

std::unique_ptr<KeyValueSpace> open_key_value_space() {
  // Without a launcher PMIx_Init may succeed, after some time, as a job of its own.
  if (launcher_variable("PMIX_NAMESPACE").empty()) return nullptr;
  void* const library = open_library();
  Functions functions{};
  if (library == nullptr || !look_up(library, functions)) return nullptr;
  pmix_proc_t me{};
  const bool first = functions.initialized() == 0;
  const pmix_status_t status = functions.init(&me, nullptr, 0);
  if (status != PMIX_SUCCESS) {
    log::warn("the launcher's PMIx does not answer: " + std::string(functions.error_string(status)));
    return nullptr;
  }
  return std::make_unique<Pmix>(functions, me, first);
}

}  // namespace xylem::preload
