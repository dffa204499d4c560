import Testing

@testable import Scheduling

@Suite struct MachineTests {
  @Test(
    arguments: [
      (online: 8, affinity: 8, quota: nil, workers: 8),
      (online: 8, affinity: 3, quota: nil, workers: 3),
      (online: 8, affinity: 8, quota: 0.5, workers: 1),
      (online: 8, affinity: 8, quota: 1.5, workers: 2),
      (online: 2, affinity: 4, quota: 16, workers: 2),
    ] as [(online: Int, affinity: Int, quota: Double?, workers: Int)])
  func effectiveCoresAreTheLeast(online: Int, affinity: Int, quota: Double?, workers: Int) {
    let machine = Machine(onlineCores: online, affinityCores: affinity, quota: quota)
    #expect(machine.effectiveCores == workers)
  }

  /// As many as there is room for, and always one.
  @Test(
    arguments: [
      (addresses: .max, files: .max, workers: 64), (addresses: 1 << 30, files: 1_024, workers: 8),
      (addresses: 1 << 20, files: 1_024, workers: 1), (addresses: .max, files: 6, workers: 1),
      (addresses: .max, files: 16, workers: 2), (addresses: .max, files: 32, workers: 6),
    ] as [(addresses: Int, files: Int, workers: Int)])
  func workersFitLimits(addresses: Int, files: Int, workers: Int) {
    let machine = Machine(onlineCores: 2, affinityCores: 2, addressSpace: addresses, openFiles: files)
    #expect(min(64, machine.mostWorkers) == workers)
  }

  @Test func thisMachineIsDetected() {
    let machine = Machine.detect()
    #expect(machine.onlineCores >= 1)
    #expect((1...machine.onlineCores).contains(machine.affinityCores))
    #expect(machine.availableMemory > 1 << 20)
  }
}

/// Control groups from a table of files, as the kernel would show them.
@Suite struct ControlGroupTests {
  private func group(_ membership: String, _ files: [String: String]) -> ControlGroup {
    ControlGroup(membership: membership, root: "/cg", read: { files[$0] })
  }

  @Test func unifiedQuota() {
    let found = group("0::/user/session\n", ["/cg/user/session/cpu.max": "150000 100000\n"])
    #expect(found.processorQuota == 1.5)
    #expect(found.quotaFile == "/cg/user/session/cpu.max")
  }

  @Test func theLowestAncestorBinds() {
    let found = group(
      "0::/a/b\n", ["/cg/a/b/cpu.max": "400000 100000", "/cg/a/cpu.max": "50000 100000", "/cg/cpu.max": "max 1"])
    #expect(found.processorQuota == 0.5)
    #expect(found.quotaFile == "/cg/a/cpu.max")
  }

  @Test func noQuota() {
    #expect(group("0::/\n", ["/cg/cpu.max": "max 100000"]).processorQuota == nil)
    #expect(group("", [:]).processorQuota == nil)
  }

  @Test func legacyQuota() {
    let found = group(
      "4:cpu,cpuacct:/docker/x\n1:name=systemd:/\n",
      [
        "/cg/cpu/docker/x/cpu.cfs_quota_us": "25000\n",
        "/cg/cpu/docker/x/cpu.cfs_period_us": "100000\n",
      ])
    #expect(found.processorQuota == 0.25)
  }

  @Test func legacyWithoutQuota() {
    let found = group("4:cpu:/\n", ["/cg/cpu/cpu.cfs_quota_us": "-1", "/cg/cpu/cpu.cfs_period_us": "100000"])
    #expect(found.processorQuota == nil)
  }

  @Test func memoryLeft() {
    #expect(
      group("0::/a\n", ["/cg/a/memory.max": "1000", "/cg/a/memory.current": "300"]).memoryLeft
        == 700)
    #expect(
      group("0::/a\n", ["/cg/a/memory.max": "max", "/cg/a/memory.current": "300"]).memoryLeft == nil
    )
    #expect(
      group(
        "9:memory:/a\n", ["/cg/memory/a/memory.limit_in_bytes": "100", "/cg/memory/a/memory.usage_in_bytes": "900"]
      ).memoryLeft == 0)
  }

  /// Files that cannot matter are not read at the start.
  @Test func whatIsUsedIsNotReadWithoutLimit() {
    var paths: [String] = []
    let found = ControlGroup(membership: "0::/a\n9:memory:/a\n", root: "/cg") { path in
      paths.append(path)
      return path.hasSuffix("max") ? "max" : "9223372036854771712"
    }
    #expect(found.memoryLeft == nil)
    #expect(!paths.contains { $0.hasSuffix("memory.current") || $0.contains("usage") })
  }

  @Test(arguments: ["", "garbage", "1 2 3", "-1 5", "0 0", "99999999999999999999 1"])
  func nonsenseIsNoQuota(text: String) {
    let quota = ControlGroup.quota(unified: text)
    #expect(quota == nil || quota! > 0)
  }
}
