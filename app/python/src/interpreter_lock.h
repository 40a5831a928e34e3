// Scopes without and with the interpreter's lock (the GIL). Where the interpreter has begun to end,
// a thread that wants the lock waits until the process is over. CPython does so from 3.14 on;
// before, it ends the thread by unwinding its stack (PyEval_RestoreThread: "will terminate the
// thread"), and a stack with a noexcept frame, as of any destructor, ends the process in
// std::terminate().
#pragma once

#include <chrono>
#include <nanobind/nanobind.h>
#include <thread>

namespace wnpu::python {

// Result of `take`, which takes the lock.
template <typename Take>
auto take_lock(const Take& take) noexcept {
  try {
    return take();
  } catch (...) {  // the unwinding, which must not go on: nothing that Python's API throws
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

class WithoutInterpreter {
 public:
  WithoutInterpreter() : state_(PyEval_SaveThread()) {}
  ~WithoutInterpreter() {
    take_lock([this] { PyEval_RestoreThread(state_); });
  }
  WithoutInterpreter(WithoutInterpreter&&) = delete;
  WithoutInterpreter& operator=(WithoutInterpreter&&) = delete;

 private:
  PyThreadState* state_;
};

// For a callback, on whatever thread.
class WithInterpreter {
 public:
  WithInterpreter() : state_(take_lock(PyGILState_Ensure)) {}
  ~WithInterpreter() { PyGILState_Release(state_); }
  WithInterpreter(WithInterpreter&&) = delete;
  WithInterpreter& operator=(WithInterpreter&&) = delete;

 private:
  PyGILState_STATE state_;
};

// Whether a handler of Python's signals raised something, which is then what Python has at hand
// (nb::python_error). For work without the interpreter's lock.
inline bool signal_came() {
  const WithInterpreter locked;
  return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

}  // namespace wnpu::python
