import Platform

/// The limits of this process's control groups, read from `/proc/self/cgroup` and `/sys/fs/cgroup`.
///
/// The quotas of all ancestors apply, so the lowest one is effective (Linux Documentation/admin-guide/cgroup-v2.rst,
/// "cpu.max", "memory.max"; cgroup-v1 scheduler/sched-bwc.rst).
struct ControlGroup {
  /// The processor time as a number of processors: 1.5 means 150 ms in every 100 ms. Nil without a quota.
  let processorQuota: Double?
  /// The number of bytes that remain below the memory limit; nil without a limit.
  let memoryLeft: Int?
  /// The file from which the quota was read; nil without a quota.
  let quotaFile: String?

  init(
    membership: String? = textFile("/proc/self/cgroup"), root: String = "/sys/fs/cgroup",
    read: (String) -> String? = textFile
  ) {
    var quota: (value: Double, file: String)?
    var memory: Int?
    for line in (membership ?? "").lines {
      // Each line has the form hierarchy-ID:controller-list:path.
      let fields = line.utf8.split(
        separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false
      ).map(Substring.init)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].parts(between: UInt8(ascii: ","))
      let isUnified = fields[0] == "0" && controllers.isEmpty
      for path in Self.ancestors(String(fields[2])) {
        if isUnified {
          let file = root + path + "/cpu.max"
          if let value = Self.quota(unified: read(file)), value < quota?.value ?? .infinity {
            quota = (value, file)
          }
          let left = Self.left(
            limit: read(root + path + "/memory.max"),
            used: { read(root + path + "/memory.current") })
          if let left { memory = min(memory ?? .max, left) }
        }
        if controllers.contains("cpu") {
          for base in [root + "/cpu", root + "/cpu,cpuacct"] {
            let file = base + path + "/cpu.cfs_quota_us"
            let value = Self.quota(legacy: read(file), period: read(base + path + "/cpu.cfs_period_us"))
            if let value, value < quota?.value ?? .infinity { quota = (value, file) }
          }
        }
        if controllers.contains("memory") {
          let base = root + "/memory" + path
          let left = Self.left(
            limit: read(base + "/memory.limit_in_bytes"),
            used: { read(base + "/memory.usage_in_bytes") })
          if let left { memory = min(memory ?? .max, left) }
        }
      }
    }
    processorQuota = quota?.value
    quotaFile = quota?.file
    memoryLeft = memory
  }

  /// Returns a path and its ancestors: for `/a/b`, these are `/a/b`, `/a` and the root, which is the empty path.
  static func ancestors(_ path: String) -> [String] {
    var paths = [""]
    for part in path[...].parts(between: UInt8(ascii: "/")) { paths.append("\(paths.last!)/\(part)") }
    return paths.reversed()
  }

  /// Parses a quota of cgroup version 2: `"150000 100000"` is 1.5, and `"max 100000"` means no quota.
  static func quota(unified text: String?) -> Double? {
    let fields = (text ?? "").words
    guard fields.count == 2, let quota = Double(fields[0]), let period = Double(fields[1]), quota > 0, period > 0
    else { return nil }
    return quota / period
  }

  static func quota(legacy quota: String?, period: String?) -> Double? {
    guard let quota = number(quota), let period = number(period), quota > 0, period > 0 else { return nil }
    return Double(quota) / Double(period)
  }

  /// Returns the bytes that remain below a limit; nil without a limit, or if a text is missing or not a number. Version
  /// 1 uses a huge number if there is no limit.
  static func left(limit: String?, used: () -> String?) -> Int? {
    guard let limit = number(limit), limit < Int.max / 2, let used = number(used()) else { return nil }
    return max(0, limit - used)
  }

  private static func number(_ text: String?) -> Int? { text.flatMap { Int($0.words.first ?? "") } }
}

/// Returns the first 64 KiB of a text file such as those in `/proc` and `/sys`; nil if it cannot be read.
func textFile(_ path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  while bytes.count < 65_536 {
    var count = 0
    let part = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, filled in
      count = read(descriptor, buffer.baseAddress, buffer.count)
      filled = max(0, count)
    }
    guard count >= 0 else { return nil }
    // A file in `/proc` may return fewer bytes than requested before its end.
    if count == 0 { break }
    bytes += part
  }
  return String(decoding: bytes, as: UTF8.self)
}

extension Substring {
  /// Returns the parts between separator bytes, without empty ones. Splitting by characters would take ten times as
  /// long.
  func parts(between separators: UInt8...) -> [Substring] {
    utf8.split(whereSeparator: separators.contains).map(Substring.init)
  }

  /// The parts between white space.
  var words: [Substring] { parts(between: UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t")) }

  /// The lines, without empty ones.
  var lines: [Substring] { parts(between: UInt8(ascii: "\n")) }
}

extension String {
  var words: [Substring] { self[...].words }
  var lines: [Substring] { self[...].lines }
}
