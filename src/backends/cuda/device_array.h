// Memory and queues on the device, owned by scope. Failures throw ResourceError.
#pragma once

#include <cuda_runtime.h>

#include <span>
#include <utility>
#include <vector>

#include "device/cuda_check.h"

namespace neuopt::backends::cuda {

/// A queue of work on the device.
class Stream {
 public:
  Stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "opening a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  /// Waits for all work; errors of kernels appear here.
  void synchronize() const { check_cuda(cudaStreamSynchronize(stream_), "work on the device"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An array on the device, not initialised. Copies to and from it wait for the stream.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    const cudaError_t status = cudaMalloc(&data_, size * sizeof(T));
    if (status != cudaSuccess) cudaGetLastError();  // told here; the next check shall not find it again
    check_cuda(status, "device memory");
  }
  DeviceArray(std::span<const T> values, cudaStream_t stream) : DeviceArray(values.size()) { upload(values, stream); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }  // null when empty
  std::size_t size() const { return size_; }

  void upload(std::span<const T> values, cudaStream_t stream) {
    if (values.empty()) return;
    check_cuda(cudaMemcpyAsync(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream),
               "copying to the device");
    check_cuda(cudaStreamSynchronize(stream), "copying to the device");
  }

  /// The first `count` values.
  std::vector<T> download(std::size_t count, cudaStream_t stream) const {
    std::vector<T> values(count);
    if (count == 0) return values;
    check_cuda(cudaMemcpyAsync(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost, stream),
               "copying from the device");
    check_cuda(cudaStreamSynchronize(stream), "copying from the device");
    return values;
  }
  std::vector<T> download(cudaStream_t stream) const { return download(size_, stream); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace neuopt::backends::cuda
