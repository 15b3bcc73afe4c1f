// The objects that handles point to. A handle that was destroyed, or never was, is found out.
#pragma once

#include <memory>
#include <unordered_map>

#include "driver/error.hpp"

namespace cuda_emu {

template <class T>
class Registry {
 public:
  T* add(std::unique_ptr<T> object) {
    T* const handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  bool has(T* handle) const { return objects_.contains(handle); }
  T& get(T* handle, CUresult otherwise = CUDA_ERROR_INVALID_HANDLE) const {
    require(has(handle), otherwise);
    return *handle;
  }
  std::unique_ptr<T> remove(T* handle, CUresult otherwise = CUDA_ERROR_INVALID_HANDLE) {
    auto found = objects_.extract(handle);
    require(!found.empty(), otherwise);
    return std::move(found.mapped());
  }
  template <class Predicate>
  void remove_if(Predicate predicate) {
    std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [handle, object] : objects_) visit(*object);
  }

 private:
  std::unordered_map<T*, std::unique_ptr<T>> objects_;
};

}  // namespace cuda_emu
