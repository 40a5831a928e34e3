// Streams of a layer's phases: from DDR and panels to the cores and back, each with its transfers
// at both ends of every link, its locks and its place in the rings.
#pragma once

#include <string>
#include <vector>

#include "npu/design/design.h"
#include "npu/design/overlay.h"
#include "npu/design/resident.h"

namespace wnpu::npu {

// A condition of the instruction stream on a counter of finished elements.
struct Wait {
  std::size_t token = kNone;
  std::uint64_t count = 0;
};

// A piece of one row's mem-tile memory that holds activations between phases.
struct Panel {
  std::size_t memory = 0;
  std::uint64_t offset = 0;

  Access at(std::uint64_t bytes, std::uint32_t run, std::vector<Dimension> dims = {},
            std::int64_t step = 0) const {
    return {memory, offset + bytes, run, std::move(dims), step, 0, 0, 0};
  }
};

// Elements of `bytes` that lie end to end in a memory.
inline Access end_to_end(std::size_t memory, std::uint64_t offset, std::size_t bytes) {
  return {memory, offset, u32(bytes), {}, static_cast<std::int64_t>(bytes), 0, 0, 0};
}

// Slots of the rings from DDR.
struct RingSlots {
  std::size_t a = 4;
  std::size_t b = 4;
};

class LayerStreams {
 public:
  // Adds the overlay, the row memories and the rings to `design`, whose arguments are in place.
  explicit LayerStreams(Design& design, RingSlots slots = {});

  const OverlayLinks& overlay() const { return overlay_; }
  // As a Target counts them: rows over the halves of the array, each with a mem tile; columns
  // within a half.
  std::size_t rows() const { return static_cast<std::size_t>(overlay_.rows); }
  std::size_t columns() const { return static_cast<std::size_t>(overlay_.columns); }
  // First byte behind the rings in each row's memory, and where that memory ends.
  std::uint64_t panels_begin() const { return panels_begin_; }
  std::uint64_t panels_end() const;

  // offset, bytes: within the row's mem-tile memory.
  Panel add_panel(std::size_t row, const std::string& name, std::uint64_t offset,
                  std::uint64_t bytes, unsigned eras);
  // A lock in the row's mem tile.
  std::size_t add_lock(std::size_t row, const std::string& name, std::size_t initial);
  std::size_t add_token() { return design_.n_tokens++; }

  // DDR -> ring -> all cores of the row.
  void a_from_ddr(std::size_t row, const Access& from, std::size_t elements, Wait wait);
  // Panel -> all cores of the row.
  void a_from_panel(std::size_t row, const Access& from, std::size_t elements, LockUse acquire,
                    LockUse release);
  // DDR -> panel.
  struct PanelLoad {
    Access from;
    Access to;
    std::size_t elements = 0;
    LockUse acquire;
    LockUse release;
    Wait wait;
  };
  void load_panel(std::size_t row, const PanelLoad& load);
  // DDR -> ring -> all cores of the column, the same in every half.
  void b_from_ddr(std::size_t column, const Access& from, std::size_t elements, Wait wait);
  // Core -> panel, one element.
  struct PanelStore {
    Access to;
    LockUse acquire;
    LockUse release;
  };
  void c_to_panel(std::size_t row, std::size_t column, const PanelStore& store);
  // Core -> ring -> DDR, one element: `order` reads the ring's slot in the order DDR wants.
  struct Drain {
    Access order;  // memory, offset and lock slot are filled in
    Access to;
    std::size_t signal = kNone;
  };
  void c_to_ddr(std::size_t row, std::size_t column, const Drain& drain);

  // The two ends of a link by hand, for keys and values. What a core's port has and the access has
  // not is padding.
  void at_source(std::size_t link, Transfer transfer);
  void at_sink(std::size_t link, std::size_t sink, Transfer transfer);

 private:
  struct Ring {
    std::uint64_t offset = 0;
    std::size_t free = 0;  // locks; they count slots
    std::size_t full = 0;
    std::uint32_t slots = 0;
    std::uint32_t next = 0;
  };

  Ring add_c_ring(std::size_t row, std::uint64_t offset);
  Ring add_ring(std::size_t row, const std::string& name, std::size_t slots);
  void pad(std::size_t link, Transfer& transfer) const;
  void through_ring(std::size_t memory, Ring& ring, std::size_t in_link, std::size_t out_link,
                    Transfer from);

  Design& design_;
  OverlayLinks overlay_;
  std::size_t first_memory_ = 0;
  std::vector<Ring> a_rings_;       // [row]
  std::vector<Ring> b_rings_;       // [mem tile]
  std::vector<Ring> c_rings_;       // [row], a slot for each column
  std::uint64_t panels_begin_ = 0;  // while rings are added: behind those that are there
};

}  // namespace wnpu::npu
