import Scheduling

/// Whether a chain of so many steps needs more of the stack than a worker has.
func isDeep(_ depth: Int) -> Bool { depth > 200 }

/// Runs `body` where the stack is deep enough for a chain of so many steps: here for a usual one, else on
/// a thread made for it.
///
/// Each step's rows are read by the step after it, on one stack. A step takes up to 4 KiB of it in a debug
/// build; 16 are allowed for. Stacks are only mapped, not filled.
func withStack<Value, Failure: Error>(
  forDepth depth: Int, _ body: @escaping () throws(Failure) -> Value
) throws(Failure) -> Value {
  guard isDeep(depth) else { return try body() }
  // Written by the other thread alone, read when that has ended.
  nonisolated(unsafe) var outcome: Result<Value, Failure>?
  runOnOwnThread(stackByteCount: (8 << 20) + depth << 14) {
    outcome = Result { () throws(Failure) in try body() }
  }
  return try outcome!.get()
}
