import Foundation
import ImageCore
import TestSupport
import Testing

@testable import RunRecords

@Suite struct StoredRecordTests {
  /// Returns a record with outputs of every kind, drawn from a seed.
  static func contents(_ seed: UInt64, count: Int) -> RecordContents {
    var random = SplitMix(seed)
    func number() -> UInt64 { random.next() % 1_000 }
    func digest() -> SHA256Digest { SHA256.digest(of: Array("\(random.next())".utf8)) }
    func isSo() -> Bool { random.next() % 2 == 0 }
    func stamp() -> FileStamp {
      FileStamp(device: number(), inode: number(), byteCount: number(), modified: number(), changed: number())
    }
    var contents = RecordContents()
    let sources = (0..<count).map { index in
      RecordedSource(
        path: "in/\(index).jpg", stamp: isSo() ? stamp() : nil, digest: isSo() ? digest() : nil,
        pixels: isSo() ? digest() : nil)
    }
    for index in 0..<count {
      let key = "o/\(isSo() ? "é" : "e\u{301}")-\(index).png"
      var output = RecordedOutput(
        key: key, path: isSo() ? key : "o/\(number()).png", recipe: isSo() ? "" : "quality \(number() % 3)",
        pixels: isSo() ? digest() : nil, sources: Array(sources.shuffled(using: &random).prefix(Int(number() % 4))),
        stamp: stamp(), digest: isSo() ? digest() : nil, totalByteCount: Int(number()), pages: Int(number()),
        verification: isSo() ? "verified" : "")
      if isSo() { output.start = "boot" }
      if isSo() {
        (output.folder, output.tree, output.treeBytes) = ("o/\(index)_files", digest(), digest())
        output.treeFiles = [number(), number()]
      } else {
        output.entries = output.sources.indices.map { RecordedPage(index: $0, recipe: digest(), sources: [$0]) }
      }
      contents.outputs.append(output)
    }
    for index in 0..<count / 2 {
      contents.measurements.append(
        RecordedMeasurement(
          recipe: digest(), sources: [sources[index]], value: .list([.number(0.5), .text("a"), .boolean(true)])))
    }
    return contents
  }

  static func bytes(of output: RecordedOutput?) -> [UInt8]? {
    output.map {
      var contents = RecordContents()
      contents.outputs = [$0]
      return contents.bytes
    }
  }

  @Test(arguments: [0, 1, 2, 40]) func readsWhatWasWritten(count: Int) throws {
    let contents = Self.contents(UInt64(count), count: count)
    let bytes = contents.bytes
    #expect(RecordContents(bytes)?.bytes == bytes)
    let record = try #require(StoredRecord(.memory(bytes)))
    #expect(record.measurements?.count == contents.measurements.count)
    for (number, output) in contents.outputs.enumerated() {
      let found = try #require(record.find(output.key))
      #expect(found.number == number)
      #expect(Self.bytes(of: found.output) == Self.bytes(of: output))
      #expect(Self.bytes(of: record.outputs[number]) == Self.bytes(of: output))
    }
    #expect(record.find("o/unknown.png") == nil)
  }

  @Test func readsFromFiles() throws {
    let contents = Self.contents(7, count: 2_000)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("record-\(UUID().uuidString)").path
    try writeFile(contents.bytes, to: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let record = try #require(StoredRecord(.file(InputFile(path: path))))
    for (number, output) in contents.outputs.enumerated() {
      #expect(record.find(output.key)?.number == number)
    }
  }

  /// An output that was added replaces the recorded one, and both are found by any key with the same bytes.
  @Test func laterOutputsCount() throws {
    let contents = Self.contents(3, count: 5)
    let record = try #require(StoredRecord(.memory(contents.bytes)))
    var earlier = EarlierOutputs(record)
    var changed = contents.outputs[2]
    changed.recipe = "changed"
    earlier.add(changed)
    var new = contents.outputs[0]
    new.key = "o/new.png"
    earlier.add(new)
    #expect(earlier[changed.key]?.recipe == "changed")
    #expect(earlier.find(changed.key)?.number == nil)
    #expect(earlier.all.map(\.output.key).sorted() == (contents.outputs.map(\.key) + ["o/new.png"]).sorted())
    #expect(earlier.all.compactMap(\.number) == [0, 1, 3, 4])
    #expect(earlier.count == 6)
  }

  @Test func refusesDamagedRecords() {
    let bytes = Self.contents(11, count: 4).bytes
    var random = SplitMix(11)
    for _ in 0..<400 {
      var damaged = bytes
      damaged[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8))
      #expect(StoredRecord(.memory(damaged)) == nil)
      #expect(StoredRecord(.memory(Array(bytes.prefix(Int(random.next() % UInt64(bytes.count)))))) == nil)
    }
  }

  /// Records come from whoever has written into the folder of outputs, with whatever digest.
  @Test func survivesForgedRecords() {
    var random = SplitMix(13)
    for _ in 0..<4_000 {
      var forged = Array(Self.contents(random.next() % 8, count: 3).bytes.dropLast(32))
      for _ in 0...random.next() % 4 {
        let place = Int(random.next() % UInt64(forged.count))
        switch random.next() % 3 {
        case 0: forged[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: forged[place] = 255
        default: forged.removeSubrange(place..<min(forged.count, place + Int(random.next() % 9)))
        }
        if forged.isEmpty { break }
      }
      forged += SHA256.digest(of: forged).bytes
      guard let record = StoredRecord(.memory(forged)) else { continue }
      for output in record.outputs { _ = output }
      _ = record.find("o/é-0.png")
      _ = record.measurements
    }
  }
}
