/// A resource limit of this process; wraps `getrlimit(2)` and `setrlimit(2)`.
public enum ResourceLimit {
  case addressSpace, coreFile, openFiles

  #if canImport(Glibc)
    private var number: __rlimit_resource_t {
      switch self {
      case .addressSpace: __rlimit_resource_t(RLIMIT_AS.rawValue)
      case .coreFile: __rlimit_resource_t(RLIMIT_CORE.rawValue)
      case .openFiles: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      }
    }
  #else
    private var number: Int32 {
      switch self {
      case .addressSpace: RLIMIT_AS
      case .coreFile: RLIMIT_CORE
      case .openFiles: RLIMIT_NOFILE
      }
    }
  #endif

  /// The soft and the hard limit; nil if they are unknown.
  public var value: rlimit? {
    var limit = rlimit()
    return getrlimit(number, &limit) == 0 ? limit : nil
  }

  /// Sets both limits. If that is not permitted, the limit does not change.
  public func set(_ limit: rlimit) {
    var limit = limit
    setrlimit(number, &limit)
  }

  /// The soft limit; `Int.max` if there is none.
  public var soft: Int { value.map { Int(clamping: $0.rlim_cur) } ?? .max }
}
