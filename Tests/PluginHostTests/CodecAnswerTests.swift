import ImageCore
import TestSupport
import Testing

@testable import PluginHost

/// The fields of a codec worker's answer that the host accepts, one by one, and bytes that are no answer.
@Suite struct CodecAnswerTests {
  /// The description of a codec, as a worker sends it.
  struct Description {
    var title = "Odd"
    var flags: UInt32 = 1
    var extensions = ["odd"]
    var signatures = ["0:6f64"]
    var parameterCount: UInt32 = 0
    var bytesPerPixel = 0.0

    var body: WireReader {
      var writer = WireWriter()
      writer.append(title)
      writer.append(flags)
      for list in [extensions, signatures] {
        writer.append(UInt32(list.count))
        for text in list { writer.append(text) }
      }
      writer.append(parameterCount)
      writer.append(UInt64(0))
      for _ in 0..<4 { writer.append(UInt32(0)) }
      writer.append(UInt64.max)
      writer.append(bytesPerPixel)
      return WireReader(writer.bytes)
    }
  }

  static let descriptions: [(@Sendable (inout Description) -> Void, String)] = [
    ({ $0.title = "" }, "it neither reads nor writes, or has no title"),
    ({ $0.title = String(repeating: "x", count: 65) }, "its title"),
    ({ $0.flags = 0 }, "it neither reads nor writes, or has no title"),
    ({ $0.flags = 1 << 31 | 1 }, "flags of the codec"),
    ({ $0.extensions = [] }, "it has no file extension"),
    ({ $0.extensions = ["ODD"] }, "ODD"),
    ({ $0.extensions = ["a.b"] }, "a.b"), ({ $0.extensions = [""] }, "is not a name"),
    ({ $0.extensions = Array(repeating: "odd", count: 17) }, "it has more than 16 extensions"),
    ({ $0.signatures = Array(repeating: "0:00", count: 65) }, "it has more than 64 signatures"),
    ({ $0.signatures = ["0:...."] }, "'0:....' is not a signature"),
    ({ $0.parameterCount = 65 }, "65"), ({ $0.parameterCount = 1 }, "is not a name"),
    ({ $0.bytesPerPixel = -1 }, "its memory per pixel is not 0 to 1024 bytes"),
    ({ $0.bytesPerPixel = 1025 }, "its memory per pixel"), ({ $0.bytesPerPixel = .nan }, "its memory per pixel"),
  ]

  @Test func descriptionsThatAreRefused() throws {
    var good = Description().body
    let codec = try CodecDescription(from: &good)
    #expect(codec.extensions == ["odd"] && codec.writingByteCount(pixels: 1 << 32) <= 1 << 34)
    for (change, words) in Self.descriptions {
      var description = Description()
      change(&description)
      var body = description.body
      do {
        _ = try CodecDescription(from: &body)
        Issue.record("\(description) is taken")
      } catch { #expect("\(error)".contains(words), "\(error)") }
    }
  }

  /// A page, as a worker describes it.
  struct Page {
    var pageCount: UInt32 = 1
    var sample: UInt32 = 1
    var bands: UInt32 = 3
    var width: Int32 = 4
    var height: Int32 = 3
    var shrinks: [UInt32] = [2, 4]
    var orientation: UInt32 = 1
    var number = 0.0
    var metadata: UInt64 = 0
    var facts = ["bits"]
    var tail: [UInt8] = []

    var bytes: [UInt8] {
      var writer = WireWriter()
      for field in [0, pageCount, sample, bands] { writer.append(field) }
      writer.append(width)
      writer.append(height)
      writer.append(UInt32(shrinks.count))
      for shrink in shrinks { writer.append(shrink) }
      writer.append(UInt64.max)
      writer.append(number)
      writer.append(UInt32.max)
      writer.append(orientation)
      for _ in 0..<2 { writer.append(number) }
      for _ in 0..<4 { writer.append(metadata) }
      for _ in 0..<2 { writer.append(UInt32.max) }
      writer.append(number)
      writer.append(UInt32(facts.count))
      for fact in facts {
        writer.append(fact)
        writer.append(UInt8(0))
        writer.append("")
        writer.append(number)
      }
      return writer.bytes + tail
    }
  }

  /// Changes to a valid page, and whether the changed page is accepted.
  static let pages: [(@Sendable (inout Page) -> Void, Bool)] = [
    ({ _ in }, true), ({ $0.pageCount = 0 }, false), ({ $0.pageCount = .max }, true), ({ $0.sample = 0 }, false),
    ({ $0.sample = 3 }, false), ({ $0.bands = 0 }, false), ({ $0.bands = 5 }, false), ({ $0.width = 0 }, false),
    ({ $0.width = -1 }, false), ({ $0.height = .min }, false), ({ $0.width = .max }, false),
    ({ ($0.width, $0.height) = (1_000_000, 1_000_000) }, false), ({ $0.shrinks = [1] }, false),
    ({ $0.shrinks = [4, 2] }, false), ({ $0.shrinks = [2, 2] }, false), ({ $0.shrinks = [0] }, false),
    ({ $0.shrinks = [1 << 17] }, false), ({ $0.shrinks = Array(2...18) }, false), ({ $0.orientation = 0 }, true),
    ({ $0.orientation = 9 }, false), ({ $0.number = .nan }, true), ({ $0.number = .infinity }, true),
    ({ $0.number = -1 }, true), ({ $0.metadata = .max }, true), ({ $0.facts = [""] }, false),
    ({ $0.facts = Array(repeating: "a", count: 65) }, false), ({ $0.tail = [0] }, false),
  ]

  @Test func pagesThatAreRefused() throws {
    for (change, isTaken) in Self.pages {
      var page = Page()
      change(&page)
      var body = WireReader(page.bytes)
      let image = try? CodecImage(from: &body)
      #expect((image != nil) == isTaken, "\(page)")
      guard let image else { continue }
      #expect(image.delay >= 0 && image.delay.isFinite && image.metadata.allSatisfy { $0 <= 16 << 20 }, "\(page)")
      #expect(image.workingByteCount == 1 << 50 && image.resolution == nil, "\(page)")
    }
  }

  /// Answers with random bytes changed, cut and put in: they are read or refused, the same on every run.
  @Test func garbledAnswers() {
    var random = SplitMix(20)
    var description = Description()
    description.signatures = ["0:5249....5745 8-40:4e49", "0:49492a00"]
    let samples = [Page().bytes, Array(description.body.rest)]
    for round in 0..<rounds(20_000) {
      var bytes = samples[round % 2]
      for _ in 0...random.below(4) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes.replaceSubrange(place..<min(place + 4, bytes.count), with: [255, 255, 255, 255])
        default: bytes.removeLast(random.below(bytes.count / 2))
        }
      }
      CodecAnswers.read(bytes)
    }
  }
}
