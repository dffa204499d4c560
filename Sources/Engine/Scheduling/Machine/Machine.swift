import CShims
import Platform

/// What this process may use of the machine, and why.
public struct Machine: Sendable {
  /// Processors online: `sysconf(_SC_NPROCESSORS_ONLN)`.
  public let onlineCores: Int
  /// Processors this process may run on: `sched_getaffinity(2)`.
  public let affinityCores: Int
  /// The control group's quota in processors; nil for none.
  public let quota: Double?
  /// The file the quota was read from.
  public let quotaFile: String?
  /// Bytes of memory that are free for us: the kernel's `MemAvailable`, lowered by the control group.
  public let availableMemory: Int
  /// Bytes that `ulimit -v` leaves.
  public let addressSpace: Int
  /// Files that may be open at a time: `ulimit -n`.
  public let openFiles: Int

  /// Workers worth having: the least of the three, a fraction of a processor rounded up, at least 1.
  public var effectiveCores: Int {
    var cores = min(onlineCores, affinityCores)
    if let quota { cores = min(cores, Int(quota.rounded(.up))) }
    return max(1, cores)
  }

  /// Workers there is room for: each may take several stacks of 8 MiB beside the pictures, which take half of the
  /// addresses, and holds an input, an output and a folder open.
  public var mostWorkers: Int {
    max(1, min(addressSpace / (128 << 20), (openFiles - Self.ownFiles) / Self.filesAWorker))
  }

  /// Files that a run has open beside those of its workers.
  private static let ownFiles = 8
  private static let filesAWorker = 4

  /// Half of the memory that is free, at least 64 MiB: the default budget for pictures.
  public var defaultMemoryBudget: Int { max(64 << 20, availableMemory / 2) }

  init(
    onlineCores: Int, affinityCores: Int, quota: Double? = nil, quotaFile: String? = nil,
    availableMemory: Int = 1 << 30, addressSpace: Int = .max, openFiles: Int = .max
  ) {
    self.onlineCores = onlineCores
    self.affinityCores = affinityCores
    self.quota = quota
    self.quotaFile = quotaFile
    self.availableMemory = availableMemory
    self.addressSpace = addressSpace
    self.openFiles = openFiles
  }

  /// Asks the system.
  public static func detect() -> Machine {
    let online = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let group = ControlGroup()
    let addressSpace = addressSpaceLeft()
    let available = min(memoryAvailable(), group.memoryLeft ?? .max, addressSpace)
    return Machine(
      onlineCores: online, affinityCores: affinity() ?? online, quota: group.processorQuota,
      quotaFile: group.quotaFile, availableMemory: available,
      addressSpace: addressSpace, openFiles: openFilesAllowed())
  }

  private static func openFilesAllowed() -> Int {
    #if canImport(Glibc)
      softLimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue))
    #else
      softLimit(RLIMIT_NOFILE)
    #endif
  }

  private static func affinity() -> Int? {
    let cores = Int(imghost_affinity_cores())
    return cores > 0 ? cores : nil
  }

  /// What `ulimit -v` leaves: `RLIMIT_AS`, less what is mapped already.
  private static func addressSpaceLeft() -> Int {
    #if canImport(Glibc)
      let limit = softLimit(__rlimit_resource_t(RLIMIT_AS.rawValue))
    #else
      let limit = softLimit(RLIMIT_AS)
    #endif
    guard limit < .max else { return .max }
    let pages = (textFile("/proc/self/statm") ?? "").words.first.flatMap { Int($0) } ?? 0
    return max(0, limit - pages * sysconf(Int32(_SC_PAGESIZE)))
  }

  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource_t
  #else
    private typealias Resource = Int32
  #endif

  /// `getrlimit(2)`; `Int.max` where there is no limit.
  private static func softLimit(_ resource: Resource) -> Int {
    var limit = rlimit()
    let code = getrlimit(resource, &limit)
    return code == 0 && limit.rlim_cur < UInt64(Int.max) ? Int(limit.rlim_cur) : .max
  }

  private static func memoryAvailable() -> Int {
    for line in (textFile("/proc/meminfo") ?? "").lines where line.hasPrefix("MemAvailable:") {
      let fields = line.words
      if fields.count >= 2, let kilobytes = Int(fields[1]) { return kilobytes << 10 }
    }
    return sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) / 2
  }
}
