import CPlatform
import Platform

/// The resources of the machine that this process may use, and the reasons for limits.
public struct Machine: Sendable {
  /// The number of processors online: `sysconf(_SC_NPROCESSORS_ONLN)`.
  public let onlineCores: Int
  /// The number of processors that this process may run on: `sched_getaffinity(2)`.
  public let affinityCores: Int
  /// The quota of the control group, in processors; nil for none.
  public let quota: Double?
  /// The file from which the quota was read; nil without a quota.
  public let quotaFile: String?
  /// The bytes of memory that are available to this process: the kernel's `MemAvailable`, unless the limits of the
  /// control group or of the address space leave less.
  public let availableMemory: Int
  /// The bytes of address space that `ulimit -v` leaves; `Int.max` without a limit.
  public let addressSpace: Int
  /// The number of files that may be open at the same time: `ulimit -n`.
  public let openFiles: Int

  /// The useful number of workers: the lowest of `onlineCores`, `affinityCores` and `quota`, rounded up, and at least
  /// 1.
  public var effectiveCores: Int {
    var cores = min(onlineCores, affinityCores)
    if let quota { cores = min(cores, Int(quota.rounded(.up))) }
    return max(1, cores)
  }

  /// The number of workers that the limits of the address space and of open files allow. A worker counts as 128 MiB of
  /// addresses, because half of the address space is for pictures, and a worker has several stacks of 8 MiB. It counts
  /// as four open files, such as an input, an output and a folder.
  public var mostWorkers: Int {
    max(1, min(addressSpace / (128 << 20), (openFiles - Self.ownFiles) / Self.filesAWorker))
  }

  /// The number of files that a run has open in addition to those of its workers.
  private static let ownFiles = 8
  private static let filesAWorker = 4

  /// The default budget for pictures, in bytes: half of the available memory, at least 64 MiB.
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

  /// Queries the system.
  public static func detect() -> Machine {
    let online = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let group = ControlGroup()
    let addressSpace = addressSpaceLeft()
    let available = min(memoryAvailable(), group.memoryLeft ?? .max, addressSpace)
    return Machine(
      onlineCores: online, affinityCores: affinity() ?? online, quota: group.processorQuota, quotaFile: group.quotaFile,
      availableMemory: available, addressSpace: addressSpace, openFiles: ResourceLimit.openFiles.soft)
  }

  private static func affinity() -> Int? {
    let cores = Int(cplatform_affinity_cores())
    return cores > 0 ? cores : nil
  }

  /// Returns the bytes that `ulimit -v` leaves: `RLIMIT_AS` minus the mapped addresses; `Int.max` without a limit.
  private static func addressSpaceLeft() -> Int {
    let limit = ResourceLimit.addressSpace.soft
    guard limit < .max else { return .max }
    let pages = (textFile("/proc/self/statm") ?? "").words.first.flatMap { Int($0) } ?? 0
    return max(0, limit - pages * sysconf(Int32(_SC_PAGESIZE)))
  }

  private static func memoryAvailable() -> Int {
    for line in (textFile("/proc/meminfo") ?? "").lines where line.hasPrefix("MemAvailable:") {
      let fields = line.words
      if fields.count >= 2, let kilobytes = Int(fields[1]) { return kilobytes << 10 }
    }
    return sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) / 2
  }
}
