import Foundation
import ImageCore
import Testing

@testable import ImagePipeline

/// Files that appear completely or not at all.
@Suite final class OutputFileTests {
  private let folder = NSTemporaryDirectory() + "imghost-outputs-" + UUID().uuidString

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

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
    try FileManager.default.createDirectory(atPath: folder + "/d", withIntermediateDirectories: true)
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

  /// Names may be as long as the system allows.
  @Test func longNames() throws {
    let name = String(repeating: "n", count: 255)
    try OutputFile(path: folder + "/" + name).commit()
    #expect(names == [name])
  }

  /// An output notices that its folder, or one above it, was moved or replaced while the file was written.
  @Test func foldersThatChange() throws {
    let manager = FileManager.default
    var paths = RealPaths()
    let real = paths.place(of: folder).text
    let place = InternedPath(real + "/out/a.bin")
    let file = try OutputFile(path: folder + "/out/a.bin", place: place)
    try manager.moveItem(atPath: real + "/out", toPath: real + "/moved")
    try manager.createDirectory(atPath: real + "/other", withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: real + "/out", withDestinationPath: "other")
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message { try file.commit() } == "its folder was removed or renamed while it was written")
    file.discard()
    #expect(
      message { _ = try OutputFile(path: self.folder + "/out/a.bin", place: place) }
        == "a folder in its path was replaced by a link")
    #expect(try manager.contentsOfDirectory(atPath: real + "/other") == [])
    #expect(try manager.contentsOfDirectory(atPath: real + "/moved") == [])
    try manager.removeItem(atPath: real + "/out")
    let second = try OutputFile(path: folder + "/out/a.bin", place: place)
    try manager.removeItem(atPath: real + "/out")
    #expect(
      message { try second.commit() } == "its folder was removed or renamed while it was written")
    try OutputFile(path: folder + "/out/a.bin", place: place).commit()
    #expect(try manager.contentsOfDirectory(atPath: real + "/out") == ["a.bin"])
  }

  /// Looked at once more before a file is replaced: what was put there meanwhile may be a picture, or an output.
  @Test func replacesNoSourceAndNoOutput() throws {
    let manager = FileManager.default
    let files = RunFiles()
    let source = folder + "/source"
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: source))
    files.read(try InputFile(path: source).identity, for: .picture)
    let file = try OutputFile(path: folder + "/a")
    try manager.linkItem(atPath: source, toPath: folder + "/a")
    #expect(throws: PictureError.operation(.unsuitable(RunFiles.Conflict.read(.picture).text))) {
      try file.commit(files)
    }
    file.discard()
    // A link that leads to it is replaced itself.
    let linked = try OutputFile(path: folder + "/l")
    try manager.createSymbolicLink(atPath: folder + "/l", withDestinationPath: "source")
    try linked.commit(files)
    #expect(manager.contents(atPath: source) == Data([1, 2, 3]))
    try OutputFile(path: folder + "/b").commit(files)
    let other = try OutputFile(path: folder + "/c")
    try manager.linkItem(atPath: folder + "/b", toPath: folder + "/c")
    #expect(throws: PictureError.operation(.unsuitable(RunFiles.Conflict.output.text))) {
      try other.commit(files)
    }
    other.discard()
    // The same place again, as after a job that was cancelled.
    try OutputFile(path: folder + "/b").commit(files)
    #expect(names == ["a", "b", "c", "l", "source"])
  }

  /// Only those that no living run holds go, and of other machines' only those that are old.
  @Test func abandonedFiles() throws {
    let file = try OutputFile(path: folder + "/a.bin")
    let living = try #require(names.first)
    let number = String(repeating: "0", count: 11)
    let dead = String(living.dropLast(12)) + number + "1"
    let (near, far) = (".imghost-00000000-\(number)2", ".imghost-00000000-\(number)3")
    // A shard that has died here is seen from here, too, and one on another machine is not.
    let machine = living.dropFirst(".imghost-".count).prefix(8)
    let shard = ".imghost-00000000-\(machine)-\(number)4"
    let farShard = ".imghost-00000000-00000000-\(number)5"
    let others = [living.uppercased(), dead + "0", ".imghost-notes", String(dead.dropFirst())]
    for name in [dead, near, far, shard, farShard] + others {
      try Data().write(to: URL(fileURLWithPath: folder + "/" + name))
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: folder + "/" + far)
    var paths = RealPaths()
    TemporaryFiles.removeAbandoned(in: try OutputFolder.open(paths.place(of: folder).text, for: folder))
    #expect(names == ([living, near, farShard] + others).sorted())
    try file.commit()
  }

  @Test func makesFolders() throws {
    try OutputFile(path: folder + "/x/y/z.bin").commit()
    #expect(FileManager.default.fileExists(atPath: folder + "/x/y/z.bin"))
    #expect(throws: PictureError.self) { try OutputFile(path: self.folder + "/x/y/z.bin/w") }
    #expect(throws: PictureError.self) { try OutputFile(path: self.folder + "/nul\0.bin") }
  }
}
