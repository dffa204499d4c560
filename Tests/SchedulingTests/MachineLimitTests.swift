import Testing

@testable import Scheduling

#if canImport(Glibc)
  import Platform

  /// The system's limits, set for a separate process.
  @Suite struct MachineLimitTests {
    @Test func affinityToOneProcessorLeavesOneWorker() async {
      await #expect(processExitsWith: .success) {
        // Swift's view of the C library lacks these two.
        typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> CInt
        guard let get = dlsym(nil, "sched_getaffinity"), let set = dlsym(nil, "sched_setaffinity")
        else { exit(2) }
        let getAffinity = unsafeBitCast(get, to: Affinity.self)
        let setAffinity = unsafeBitCast(set, to: Affinity.self)
        var bytes = [UInt8](repeating: 0, count: 1024)
        guard getAffinity(0, bytes.count, &bytes) >= 0, let first = bytes.firstIndex(where: { $0 != 0 })
        else { exit(3) }
        // The first processor that is allowed, and no other.
        let bit = bytes[first] & (~bytes[first] + 1)
        for index in bytes.indices { bytes[index] = index == first ? bit : 0 }
        guard setAffinity(0, bytes.count, &bytes) == 0 else { exit(6) }
        let machine = Machine.detect()
        guard machine.affinityCores == 1, machine.effectiveCores == 1 else { exit(4) }
      }
    }

    /// Whether a control group for processors can be made here.
    static let canMakeGroups: Bool = {
      guard let group = ProcessorGroup() else { return false }
      group.remove()
      return true
    }()

    @Test(
      .enabled(
        if: canMakeGroups, "only root may make a control group, where its folder is writable"))
    func aQuotaOfHalfAProcessorLeavesOneWorker() async {
      await #expect(processExitsWith: .success) {
        guard let group = ProcessorGroup() else { exit(2) }
        guard group.limit(to: 0.5), group.enter() else { exit(3) }
        let machine = Machine.detect()
        group.leave()
        group.remove()
        guard machine.quota == 0.5, machine.effectiveCores == 1 else { exit(4) }
        guard machine.quotaFile?.hasPrefix(group.folder) ?? false else { exit(5) }
      }
    }
  }

  /// A control group, of version 2 or 1, for the test's process.
  struct ProcessorGroup {
    let folder: String
    private let parent: String
    private let isUnified: Bool

    init?() {
      let name = "/imghost-test-\(getpid())"
      let root = "/sys/fs/cgroup"
      isUnified = textFile(root + "/cgroup.controllers") != nil
      parent = isUnified ? root : root + "/cpu"
      folder = parent + name
      guard mkdir(folder, 0o755) == 0 else { return nil }
      guard textFile(folder + (isUnified ? "/cpu.max" : "/cpu.cfs_quota_us")) != nil else {
        rmdir(folder)
        return nil
      }
    }

    func limit(to processors: Double) -> Bool {
      let quota = Int(processors * 100_000)
      return isUnified
        ? Self.write("\(quota) 100000", to: folder + "/cpu.max")
        : Self.write("100000", to: folder + "/cpu.cfs_period_us")
          && Self.write("\(quota)", to: folder + "/cpu.cfs_quota_us")
    }

    func enter() -> Bool { Self.write("\(getpid())", to: folder + "/cgroup.procs") }
    func leave() { _ = Self.write("\(getpid())", to: parent + "/cgroup.procs") }
    func remove() { rmdir(folder) }

    private static func write(_ text: String, to path: String) -> Bool {
      let descriptor = open(path, O_WRONLY)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return text.withCString { Glibc.write(descriptor, $0, strlen($0)) == strlen($0) }
    }
  }
#endif
