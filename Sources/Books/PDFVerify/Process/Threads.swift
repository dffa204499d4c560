import Platform

/// Plain threads with the large stacks that poppler's recursion wants; wraps `pthread_create`.
enum Threads {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs bodies side by side and returns when all have returned.
  static func run(_ bodies: [@Sendable () -> Void]) {
    let started = bodies.map { start($0) }
    for (thread, body) in zip(started, bodies) {
      if let thread { pthread_join(thread, nil) } else { body() }
    }
  }

  /// Starts a thread without waiting for it.
  ///
  /// - Returns: whether the system had one left.
  static func startAlone(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = start(body) else { return false }
    pthread_detach(thread)
    return true
  }

  /// Starts a thread; nil where the system has none left.
  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 8 << 20)
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    guard pthread_create(&thread, &attributes, threadEntry, context) == 0 else {
      Unmanaged<Body>.fromOpaque(context).release()
      return nil
    }
    return thread
  }

  /// Takes the body over from `start` and runs it.
  fileprivate static func enter(_ context: UnsafeMutableRawPointer) {
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  }
}

#if canImport(Darwin)
  private func threadEntry(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Threads.enter(context)
    return nil
  }
#else
  private func threadEntry(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Threads.enter(context!)
    return nil
  }
#endif
