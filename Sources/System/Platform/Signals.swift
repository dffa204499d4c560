/// The signals that exist only on Linux and end a process.
public var linuxSignals: [Int32] {
  #if canImport(Glibc)
    [SIGIO, SIGPWR, SIGSTKFLT]
  #else
    []
  #endif
}

/// Returns whether this process ignores a signal; wraps `sigaction(2)`.
public func isIgnored(signal number: Int32) -> Bool {
  var action = sigaction()
  sigaction(number, nil, &action)
  #if canImport(Glibc)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  #else
    return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
  #endif
}
