import Scheduling

/// Returns whether a chain of steps needs a larger stack than a worker has.
func isDeep(_ depth: Int) -> Bool { depth > 200 }

/// Runs `body` with a stack that is large enough for a chain of steps: on this thread, or on a new one for a long
/// chain.
///
/// Each step reads the rows of the previous step, on the same stack. A step takes up to 4 KiB in a debug build; 16 KiB
/// are reserved. The stack is only mapped, and takes no memory until it is used.
package func withStack<Value, Failure: Error>(
  forDepth depth: Int, _ body: @escaping () throws(Failure) -> Value
) throws(Failure) -> Value {
  guard isDeep(depth) else { return try body() }
  // Written only by the new thread, and read only after that thread has ended.
  nonisolated(unsafe) var outcome: Result<Value, Failure>?
  runOnOwnThread(stackByteCount: (8 << 20) + depth << 14) {
    outcome = Result { () throws(Failure) in try body() }
  }
  return try outcome!.get()
}
