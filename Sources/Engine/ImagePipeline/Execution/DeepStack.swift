import Scheduling

/// Whether a chain of steps needs a larger stack than a worker's.
func isDeep(_ depth: Int) -> Bool { depth > 200 }

/// Runs `body` with a stack that is large enough for a chain of steps: on this thread, or on a new one for a long
/// chain.
///
/// Each step reads the rows of the step before it, on the same stack. A step takes up to 4 KiB in a debug build; 16 KiB
/// are reserved. Stacks are only mapped, not filled.
package func withStack<Value, Failure: Error>(
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
