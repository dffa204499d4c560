import ImageCore
import ImagePipeline
import Platform
import TestSupport
import Testing

@testable import Sharding

/// Manifests that somebody has changed. Each is read as a merge reads it, to a value or to a problem.
@Suite struct ManifestMutantTests {
  private static let numbers = [
    "9223372036854775807", "-9223372036854775808", "-1", "99999999999999999999", "1e308", "-1e308", "1e999", "nan",
    "inf", "0.5", "2147483648", "4294967296", "1125899906842625", "\"7\"", "null", "[]", "{}", "true", "00", "",
  ]

  /// Every number of a manifest, each replaced by numbers that nothing has.
  @Test func numbers() throws {
    let text = Array(try ManifestTests.manifest().json.line.utf8)
    func isDigit(_ index: Int) -> Bool { (0x30...0x39).contains(text[index]) }
    var tried = 0
    for start in text.indices where isDigit(start) && !isDigit(start - 1) {
      let end = text[start...].firstIndex { !(0x30...0x39).contains($0) } ?? text.count
      for number in Self.numbers {
        try read(Array(text[..<start]) + Array(number.utf8) + Array(text[end...]))
        tried += 1
      }
    }
    #expect(tried > 500)
  }

  @Test func mutants() throws {
    let text = Array(try ManifestTests.manifest().json.line.utf8)
    let words = ["{", "}", "[", "]", "\"", ",", ":", "\\u0000", "\\ud800", "..", "/", "\u{1b}", "\"key\":", "\0"]
    var random = SplitMix(47)
    for _ in 0..<rounds(8_000) {
      var mutant = text
      for _ in 0..<1 + random.below(3) {
        let place = random.below(mutant.count)
        let end = min(place + 1 + random.below(30), mutant.count)
        switch random.below(6) {
        case 0: mutant[place] ^= 1 << UInt8(random.below(8))
        case 1: mutant.removeSubrange(place..<end)
        case 2: mutant.insert(contentsOf: mutant[place..<end], at: random.below(mutant.count))
        case 3: mutant.insert(contentsOf: Self.numbers[random.below(Self.numbers.count)].utf8, at: place)
        case 4: mutant.insert(contentsOf: words[random.below(words.count)].utf8, at: place)
        default: mutant = Array(mutant[..<max(1, place)])
        }
      }
      try read(mutant)
    }
  }

  /// Deep lists, and lists of much of nothing.
  @Test func nesting() throws {
    for unit in ["[", "{\"a\":", "[{\"x\":["] {
      try read(Array(("{\"merge\":" + String(repeating: unit, count: 100_000)).utf8))
    }
    try read(Array(("{\"printed\":[" + String(repeating: "0,", count: 200_000) + "0]}").utf8))
  }

  /// Reads a manifest, and does with it what does not need its files.
  private func read(_ bytes: [UInt8]) throws {
    guard let manifest = ShardManifest(bytes) else { return }
    let folder = ShardFolder(outputFolder: "/nowhere", script: "s.lua")
    #expect(manifest.json.line.utf8.count > 0)
    _ = manifest.lostFile(in: folder)
    _ = manifest.failures.map(\.text)
    var total = 0
    for output in manifest.outputs {
      #expect(output.byteCount >= 0 && output.totalByteCount >= 0)
      total.addClamping(output.totalByteCount)
    }
    for pack in manifest.packs { #expect(!pack.file.contains("/") && pack.file != ".." && pack.pageCount >= 0) }
    #expect((0...255).contains(manifest.status) && (0...4e9).contains(manifest.seconds))
    #expect(manifest.printed.reduce(0) { $0 + $1.utf8.count } <= 3 * ShardManifest.mostPrintedBytes)
    for line in manifest.printed {
      #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" })
    }
    if case .packs(let record) = manifest.merge {
      #expect(record.pictureCount <= 100_000_000)
      for book in record.documents { #expect((0...100_000_000).contains(book.position?.line ?? 0)) }
      for book in record.documents { #expect(book.lost.allSatisfy { (0..<book.pictureCount).contains($0) }) }
    }
  }
}

/// Numbers at their ends.
@Suite struct ClampedNumberTests {
  @Test func sums() {
    #expect(Int.max.adding(clamping: 1) == .max && Int.min.adding(clamping: -1) == .min)
    #expect([Int.max, Int.max, 5].clampedSum == .max && [1, 2].clampedSum == 3)
    #expect(JSONReader.value(of: "9223372036854775807")?.countValue == nil)
    #expect(JSONReader.value(of: "-1")?.countValue == nil && JSONReader.value(of: "7")?.countValue == 7)
    for text in ["nan", "inf", "1e999", "-infinity"] { #expect(JSONReader.value(of: text) == nil, "\(text)") }
  }
}
