// A session on host processors. Copies are shared out over the threads in small groups; a thread takes a group through
// a block of steps. The result of a copy depends neither on its group nor on the block nor on the thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/copy_state.h"
#include "backends/cpu/decoder.h"
#include "backends/cpu/encoder.h"

namespace neuopt::backends::cpu {

class CpuSession final : public backends::CopySession {
 public:
  CpuSession(std::shared_ptr<const Network> network, const Kernels& kernels, bool half,
             std::span<const policy::Copy> copies, const policy::SessionOptions& options);

  int advance(int steps, const std::atomic<bool>* stop) override;

  /// Memory of a session, about.
  static double bytes(const Network& network, int nodes, int copies, const policy::SessionOptions& options);

 private:
  /// What the network has for one copy while its action is decoded.
  struct Slot {
    NodeCache cache;  // for copies that have none of their own
    AlignedFloats embeddings, keys;
    std::vector<float> features, exploration, weights;
  };
  /// All that a thread needs.
  struct Worker {
    Encoder encoder;
    Decoder decoder;
    std::vector<Slot> slots;
  };

  void advance_all(int steps);
  void advance_group(int group, int steps, Worker& worker);
  void step(std::span<backends::CopyState> copies, int first, Worker& worker);
  void encode(backends::CopyState& copy, NodeCache& cache, Slot& slot, Encoder& encoder) const;
  NodeCache& cache_of(int copy, Slot& slot);

  std::shared_ptr<const Network> network_;
  int threads_;
  int group_size_;
  std::vector<Worker> workers_;
  std::vector<NodeCache> caches_;  // of the first copies, as many as fit
};

}  // namespace neuopt::backends::cpu
