import Foundation
import ImageCore
import Testing

@testable import ImagePipeline

/// Files that appear whole or not at all.
@Suite final class OutputFileTests {
  private let folder = NSTemporaryDirectory() + "imghost-outputs-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  private func write(_ count: Int, to file: OutputFile) throws {
    try [UInt8](repeating: 7, count: count).withUnsafeBytes { try file.write($0) }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func appearsOnCommit(_ count: Int) throws {
    let path = folder + "/a.bin"
    let file = try OutputFile(path: path)
    try write(count / 2, to: file)
    try write(count - count / 2, to: file)
    #expect(names.count == 1 && names[0].hasPrefix(".imghost-"))
    try file.commit()
    #expect(names == ["a.bin"] && file.byteCount == count)
    #expect(FileManager.default.contents(atPath: path)?.count == count)
    file.discard()
    #expect(names == ["a.bin"])
  }

  @Test func leavesNothingWhenDropped() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/d", withIntermediateDirectories: true)
    do {
      let file = try OutputFile(path: folder + "/a.bin")
      try write(100_000, to: file)
    }
    let file = try OutputFile(path: folder + "/b.bin")
    file.discard()
    // A folder stands in its place.
    let taken = try OutputFile(path: folder + "/d")
    #expect(throws: PictureError.self) { try taken.commit() }
    taken.discard()
    #expect(names == ["d"])
  }

  @Test func replacesWhatWasThere() throws {
    let path = folder + "/a.bin"
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    let file = try OutputFile(path: path)
    try write(5, to: file)
    #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
    try file.commit()
    #expect(FileManager.default.contents(atPath: path)?.count == 5)
  }

  @Test func makesFolders() throws {
    try OutputFile(path: folder + "/x/y/z.bin").commit()
    #expect(FileManager.default.fileExists(atPath: folder + "/x/y/z.bin"))
    #expect(throws: PictureError.self) { try OutputFile(path: self.folder + "/x/y/z.bin/w") }
    #expect(throws: PictureError.self) { try OutputFile(path: self.folder + "/nul\0.bin") }
  }
}
