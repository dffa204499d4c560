import Foundation
import ImageCore
import Platform
import TestSupport
import Testing

/// Records after a power cut: the bytes of some outputs did not reach the disk, but their inodes and times match the
/// record. The tests change the record, because they cannot cut the power.
struct PowerCutTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      "s.lua",
      """
      local img = require "imghost"
      for i = 1, 3 do img.canvas(20, 10 + i, { background = "red" }):save(i .. ".png") end
      img.canvas(40, 30, { background = "red" }):tiles("t", { size = 16 })
      """)
    try run().expect(status: 0)
    // The second run finds times that it can trust.
    usleep(50_000)
    try run().expect(status: 0)
  }

  private func run(_ options: String...) throws -> Outcome {
    try folder.imghost(["run", "--only-changed", "--out", "o"] + options + ["s.lua"])
  }

  /// Makes the record look as if it had been written before the machine's last start, and makes it trust files that
  /// have changed.
  private func cutPower(trusting paths: [String]) throws {
    let name = try #require(folder.files.first { $0.contains("/record-") })
    let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    let number = boot.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    let digits = String(number, radix: 16)
    let start = Array((String(repeating: "0", count: 8 - digits.count) + digits).utf8)
    var record = Data(folder.bytes(name).dropLast(32))
    try #require(record.firstRange(of: start) != nil)
    while let place = record.firstRange(of: start) { record.replaceSubrange(place, with: Array("00000000".utf8)) }
    for path in paths {
      var status = stat()
      #expect(stat(folder(path), &status) == 0)
      let file = bytes(UInt64(status.st_dev)) + bytes(UInt64(status.st_ino))
      let place = try #require(record.firstRange(of: file))
      let changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
      // The device, the inode, the size and two times follow one another.
      record.replaceSubrange(place.lowerBound + 32..<place.lowerBound + 40, with: bytes(UInt64(changed)))
    }
    try folder.write(name, Array(record) + SHA256.digest(of: Array(record)).bytes)
  }

  private func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

  /// Replaces a file's bytes without changing its inode and times.
  private func lose(_ path: String, byteCount: Int) throws {
    var status = stat()
    #expect(stat(folder(path), &status) == 0)
    let file = open(folder(path), O_WRONLY | O_TRUNC)
    #expect(write(file, [UInt8](repeating: 0, count: byteCount), byteCount) == byteCount)
    #expect(futimens(file, [status.st_atim, status.st_mtim]) == 0 && close(file) == 0)
  }

  @Test func lostBytesAreMadeAgain() throws {
    let whole = ["o/1.png", "o/2.png", "o/3.png"].map(folder.bytes)
    try lose("o/1.png", byteCount: whole[0].count)
    try lose("o/2.png", byteCount: 0)
    try cutPower(trusting: ["o/1.png", "o/2.png", "o/3.png"])
    let outcome = try run("--explain")
    outcome.expect(status: 0)
    #expect(outcome.error.contains("2 files written"), "\(outcome)")
    #expect(outcome.error.contains("o/2.png: the machine stopped before the file was on the disk"), "\(outcome)")
    #expect(["o/1.png", "o/2.png", "o/3.png"].map(folder.bytes) == whole)
    // What was read after the start is trusted from now on.
    #expect(try run().error.contains("0 files written"))
  }

  /// A file that somebody has changed after the start of the machine is one that somebody has changed.
  @Test func changedFilesStay() throws {
    try folder.write("o/1.png", "mine")
    let tile = try #require(folder.files.first { $0.hasPrefix("o/t_files/") })
    try folder.write(tile, "mine")
    try cutPower(trusting: ["o/2.png"])
    let outcome = try run()
    outcome.expect(status: 1)
    #expect(folder.bytes("o/1.png") == Array("mine".utf8) && folder.bytes(tile) == Array("mine".utf8))
    #expect(outcome.error.contains("o/1.png: the file was changed") && outcome.error.contains("o/t.dzi: the file was"))
  }
}
