import Foundation
import ImageCore
import TestSupport
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// Messages between host and worker: they are read as they were written, and no bytes can stop the host.
  @Suite struct MessageTests {
    /// A description with one parameter of each type, and where its body starts.
    private static let description = description(named: "everything")

    private static func description(named name: String) -> [UInt8] {
      var message = Message.description.begin()
      for text in [name, "1.0", "Has one of each"] { message.append(text) }
      for field in [1, 3, 0b1110, 0b11110, 1, 2, 4, 2, 1, 0, 7] as [UInt32] { message.append(field) }
      for type in 1...7 as ClosedRange<UInt32> {
        for text in ["p\(type)", "px", "Help", "Label \(type)", "Group"] { message.append(text) }
        message.append(type)
        for number in [0, 1, 1, 1, 0, 0, 1] as [Double] { message.append(number) }
        message.append(type == 6 ? "text" : "")
        message.append(UInt32(type == 4 ? 2 : 0))
        if type == 4 { for choice in ["low", "high"] { message.append(choice) } }
      }
      return message.bytes
    }

    private func read(_ bytes: [UInt8]) throws -> PluginDescription {
      var body = try Message.open(bytes).body
      return try PluginDescription(from: &body)
    }

    @Test func aDescriptionIsRead() throws {
      let plugin = try read(Self.description)
      #expect(plugin.name == "everything")
      #expect(plugin.extent == .rows(padding: 4))
      #expect(plugin.parameters.map(\.name) == ["p1", "p2", "p3", "p4", "p5", "p6", "p7"])
      #expect(plugin.parameters[3].type == .choice(["low", "high"], 1))
      #expect(plugin.parameters.map(\.label) == (1...7).map { "Label \($0)" })
      #expect(plugin.parameters.allSatisfy { $0.group == "Group" })
      // Only numbers have steps.
      #expect(plugin.parameters.map(\.step) == [nil, 1, 1, nil, nil, nil, nil])
    }

    /// Only a name of frei0r may begin with a digit, after its prefix.
    @Test(arguments: [
      ("b3", true), ("3d", false), ("", false), ("-b", false), ("B", false), ("b.c", false),
      ("frei0r.", false), ("frei0r.-b", false),
    ])
    func namesBeginWithALetter(name: String, isValid: Bool) {
      #expect(((try? read(Self.description(named: name))) != nil) == isValid)
    }

    @Test func everyCutIsRefused() {
      for count in 0..<Self.description.count {
        #expect(throws: (any Error).self) { try read(Array(Self.description.prefix(count))) }
      }
    }

    /// Thousands of messages of every kind, damaged or made of nothing: each is read or refused, and no
    /// promise of the reader's is broken (`WorkerAnswers` stops the process there).
    @Test func anyMessageIsReadOrRefused() throws {
      var random = SplitMix(7)
      var read = 0
      for round in 0..<20_000 {
        var bytes = Self.description
        if round % 3 > 0 {
          bytes = Array(bytes.prefix(16))
          for _ in 0..<Int(random.next() % 80) { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
          bytes[4] = UInt8(random.next() % 10)
        } else {
          for _ in 0..<Int(random.next() % 3) {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
          }
        }
        if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        read += WorkerAnswers.read(bytes) ? 1 : 0
      }
      #expect(read > 1000 && read < 19_000)
    }

    /// The corpus of Scripts/dev/fuzz worker, which also holds what it once found.
    @Test func theCorpusIsReadOrRefused() throws {
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzzers/Corpus/worker")
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      #expect(!files.isEmpty)
      for file in files {
        let bytes = Array(try Data(contentsOf: file))
        let isRead = WorkerAnswers.read(bytes)
        // Other files are valid messages: the corpus keeps up with the protocol.
        if !file.lastPathComponent.hasPrefix("found-") { #expect(isRead, "\(file.lastPathComponent)") }
      }
    }

    /// Thousands of damaged descriptions: each is a plugin or an error, and what is a plugin has a
    /// descriptor whose defaults its own checks accept.
    @Test func damageNeverStopsTheHost() throws {
      var random = SplitMix(1)
      for _ in 0..<5000 {
        var bytes = Self.description
        for _ in 0..<(1 + random.next() % 4) {
          let index = 16 + Int(random.next() % UInt64(bytes.count - 16))
          let pick = random.next() % 4
          bytes[index] = pick == 0 ? 0 : pick == 1 ? 0xff : pick == 2 ? 0x7f : UInt8(truncatingIfNeeded: random.next())
        }
        guard let plugin = try? read(bytes) else { continue }
        #expect(!plugin.name.isEmpty && plugin.parameters.count <= Limits.parameters)
        let arguments = try Arguments(RawArguments(), for: plugin.operation)
        for parameter in plugin.parameters { _ = try parameter.value(from: arguments) }
      }
    }

    @Test func aCallIsReadAsItWasWritten() throws {
      let picture = WirePicture(
        width: 7, height: 5, sample: 2, bands: 4, alpha: 1, stride: 64)
      let request = CallRequest(
        frame: 9, inputCount: 3, inputCapacity: 65_536, outputCapacity: 131_072, picture: picture,
        values: [WireValue([1, -2]), WireValue([], text: "grüß dich"), WireValue([], text: "")])
      var writer = Message.call.begin(call: 3)
      request.write(to: &writer)
      let (kind, number, content) = try Message.open(writer.bytes)
      var body = content
      let read = try CallRequest(from: &body)
      try body.finish()
      #expect(kind == .call && number == 3)
      #expect(read.values == request.values)
      #expect(read.picture == picture)
      #expect(read.inputCount == 3)
      #expect(read.outputCapacity == 131_072)
    }
  }
}
