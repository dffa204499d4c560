import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Malicious profiles, XMP and IPTC, through the built program: each block is used, or left out with a note. Every
/// output is complete.
@Suite(.wholeRuns) struct HostileBlocksTests {
  /// A script that every file is processed by.
  private static let script = """
    for _, path in ipairs(arg) do
      local p, name = img.open(path), "out/" .. path
      p:resize(24):save(name .. ".jpg")
      p:to_profile("srgb"):save(name .. ".tif")
      p:save(name .. ".png", { profile = "display-p3" })
      p:flip():with_metadata{ copyright = "me", keywords = { "k" } }:save(name .. ".webp", { metadata = "public" })
    end
    """
  private static let endings = ["jpg", "tif", "png", "webp"]

  /// Runs the script over files. Every one is read, and all outputs are whole.
  private func use(_ files: [(name: String, bytes: [UInt8])]) throws -> Outcome {
    let folder = try Folder()
    for file in files { try folder.write(file.name, file.bytes) }
    let outcome = try folder.run(Self.script, "--on-error", "continue", arguments: files.map(\.name), seconds: 30)
    #expect(outcome.signal == nil && outcome.status == 0, "\(outcome)")
    #expect(folder.temporaries.isEmpty)
    for file in files {
      let meant = try Pixels(file: folder(file.name))
      for ending in Self.endings {
        let name = "out/\(file.name).\(ending)"
        guard ending == "jpg" || ending == "png" else {
          #expect(folder.exists(name), "\(name)")
          continue
        }
        let made = try Pixels(file: folder(name))
        #expect(made.width == (ending == "jpg" ? 24 : meant.width), "\(name)")
      }
    }
    let info = try folder.imghost(["info", "--json"] + files.map(\.name))
    #expect(info.signal == nil && info.status == 0 && info.outputLines.count == files.count, "\(info)")
    return outcome
  }

  /// Expects a line that has some words and names a file.
  private func expectNote(_ outcome: Outcome, _ words: String, _ file: String = "") {
    #expect(
      outcome.messages.contains { $0.contains(words) && (file.isEmpty || $0.contains(file)) },
      "\(words), \(file): \(outcome)")
  }

  private static func packet(_ inside: String) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
      <rdf:Description rdf:about='' xmlns:my='http://example.org/' \(inside)</rdf:Description></rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  private static func dataset(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [0x1c, 2, number, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
  }

  private static let iptc = (0..<8).flatMap { dataset(25, Array("keyword \($0)".utf8)) }

  // MARK: Truncated

  /// Each block ends after every sixteenth part.
  @Test func truncatedBlocks() throws {
    let packet = Self.packet("my:word='w'>" + String(repeating: "<my:p>text</my:p>", count: 40))
    let profile = ProfileBlock().bytes
    var files: [(String, [UInt8])] = []
    for part in 0..<16 {
      func cut(_ bytes: [UInt8]) -> [UInt8] { Array(bytes[..<(bytes.count * part / 16)]) }
      files.append(("p\(part).jpg", MetadataBlocks(profile: cut(profile)).jpeg))
      files.append(("p\(part).png", MetadataBlocks(profile: cut(profile)).png))
      files.append(("x\(part).jpg", MetadataBlocks(xmp: cut(packet)).jpeg))
      files.append(("x\(part).png", MetadataBlocks(xmp: cut(packet)).png))
      files.append(("i\(part).jpg", MetadataBlocks(iptc: cut(Self.iptc)).jpeg))
      files.append(("r\(part).jpg", MetadataBlocks(resources: cut(MetadataBlocks.resource(Self.iptc))).jpeg))
    }
    let outcome = try use(files)
    expectNote(outcome, "ICC profile is not copied (it is damaged)")
    expectNote(outcome, "XMP is not copied")
    expectNote(outcome, "IPTC is not copied (it is damaged)")
  }

  // MARK: XMP

  @Test func hostileXMP() throws {
    let laughs = (1...9).map { level in
      "<!ENTITY l\(level) '\(String(repeating: "&l\(level - 1);", count: 10))'>"
    }.joined()
    let bomb = "<!DOCTYPE x [<!ENTITY l0 'ha'>\(laughs)]><x:xmpmeta xmlns:x='adobe:ns:meta/'>&l9;</x:xmpmeta>"
    let file = "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
    let external = file + "<x:xmpmeta xmlns:x='adobe:ns:meta/'>&f;</x:xmpmeta>"
    let cases: [(String, [UInt8], String)] = [
      ("bomb", Array(bomb.utf8), "XMP is not copied (it has a document type)"),
      ("external", Array(external.utf8), "XMP is not copied (it has a document type)"),
      ("entity", Self.packet("my:a='&f;'>"), "XMP is not copied (it has the unknown entity"),
      ("deep", Self.packet(">" + String(repeating: "<my:a>", count: 9_000)), "XMP is not copied (its elements"),
      ("wide", Self.packet(">" + String(repeating: "<my:a/>", count: 8_000)), ""),
    ]
    var files = cases.map { ("\($0.0).jpg", MetadataBlocks(xmp: $0.1).jpeg) }
    files += cases.map { ("\($0.0).png", MetadataBlocks(xmp: $0.1).png) }
    // Larger than is read; and, as one chunk, much larger.
    let large = Self.packet("my:a='\(String(repeating: "x", count: 1 << 20))'>")
    files.append(("1mb.png", MetadataBlocks(xmp: large).png))
    files.append(("9mb.png", MetadataBlocks(xmp: [UInt8](repeating: 0x3c, count: 9 << 20)).png))
    let outcome = try use(files)
    for (name, _, words) in cases where !words.isEmpty { expectNote(outcome, words, name == "external" ? "" : name) }
    expectNote(outcome, "XMP is not copied", "1mb.png")
    expectNote(outcome, "XMP is not copied", "9mb.png")
  }

  /// Parts of an extended packet with offsets and totals that lie.
  @Test func lyingExtendedXMP() throws {
    let digest = String(repeating: "A", count: 32)
    let main = Self.packet("xmlns:n='http://ns.adobe.com/xmp/note/' n:HasExtendedXMP='\(digest)'>")
    let text = Array(String(repeating: "<a/>", count: 20).utf8)
    let lies: [(String, [[UInt8]])] = [
      ("missing", []), ("short", [MetadataBlocks.part(digest, total: 5_000, at: 0, text)]),
      ("huge", [MetadataBlocks.part(digest, total: Int(UInt32.max), at: 0, text)]),
      ("beyond", [MetadataBlocks.part(digest, total: 80, at: Int(UInt32.max), text)]),
      ("empty", [MetadataBlocks.part(digest, total: 80, at: 0, [])]),
      (
        "overlapping",
        [MetadataBlocks.part(digest, total: 150, at: 0, text), MetadataBlocks.part(digest, total: 150, at: 40, text)]
      ),
      ("again", [[UInt8]](repeating: MetadataBlocks.part(digest, total: 160, at: 0, text), count: 30)),
      ("other digest", [MetadataBlocks.part(digest, total: 80, at: 0, text)]),
      (
        "1 mb",
        (0..<20).map {
          MetadataBlocks.part(digest, total: 1_200_000, at: $0 * 60_000, [UInt8](repeating: 32, count: 60_000))
        }
      ),
    ]
    let outcome = try use(lies.map { ("\($0.0).jpg", MetadataBlocks(xmp: main, extendedXMP: $0.1).jpeg) })
    expectNote(outcome, "extended XMP is not copied")
  }

  // MARK: IPTC

  @Test func hostileIPTC() throws {
    func resource(_ length: Int, _ bytes: [UInt8]) -> [UInt8] {
      Array("8BIM".utf8) + [4, 4, 0, 0] + MetadataBlocks.big(length) + bytes
    }
    let large = (0..<40).flatMap { _ in Self.dataset(25, [UInt8](repeating: 0x61, count: 30_000)) }
    let outcome = try use([
      ("long dataset.jpg", MetadataBlocks(iptc: Self.iptc + [0x1c, 2, 25, 0x7f, 0xff, 1, 2]).jpeg),
      ("extended.jpg", MetadataBlocks(iptc: [0x1c, 2, 25, 0x80, 4, 0xff, 0xff, 0xff, 0xff, 1, 2]).jpeg),
      ("wide length.jpg", MetadataBlocks(iptc: [0x1c, 2, 25, 0xff, 0xff] + [UInt8](repeating: 255, count: 64)).jpeg),
      ("long resource.jpg", MetadataBlocks(resources: resource(1 << 30, Self.iptc)).jpeg),
      ("negative.jpg", MetadataBlocks(resources: resource(-1, Self.iptc)).jpeg),
      ("large.jpg", MetadataBlocks(iptc: large).jpeg),
      ("marks.jpg", MetadataBlocks(iptc: [UInt8](repeating: 0x1c, count: 60_000)).jpeg),
    ])
    expectNote(outcome, "IPTC is not copied (it is damaged)")
    expectNote(outcome, "IPTC is not copied (it has more than 1 MB)", "large.jpg")
    expectNote(outcome, "IPTC is not copied (the Photoshop resources around it are damaged)")
  }

  // MARK: Profiles

  @Test func profiles() throws {
    let good = ProfileBlock().bytes
    var offsets = good
    // The place of the first tag, and the number of tags.
    for index in 136..<140 { offsets[index] = 0xff }
    var count = good
    for index in 128..<132 { count[index] = 0xff }
    // All tags are the first: each is read as what it is not.
    var cyclic = good
    for tag in 0..<8 { for index in 4..<12 { cyclic[132 + 12 * tag + index] = good[132 + index] } }
    let padding: (String, [UInt8]) = ("priv", [UInt8](repeating: 7, count: 1 << 20))
    // Only the description cannot be read.
    let used: [(String, [UInt8])] = [
      ("offsets", offsets),
      ("v2", ProfileBlock(version: 2).bytes), ("v4", good),
      ("1mb", ProfileBlock(tags: ProfileBlock.matrix + ProfileBlock.curves + [padding]).bytes),
    ]
    let gray = ProfileBlock(space: "GRAY", tags: [("kTRC", ProfileBlock.curve)])
    let dropped: [(String, [UInt8], String)] = [
      ("signature", ProfileBlock(signature: "abcd").bytes, "it is damaged"),
      ("large size", ProfileBlock(size: 1 << 30).bytes, "it is damaged"),
      ("gray", gray.bytes, "it is for gray pictures"),
      ("cmyk", ProfileBlock(space: "CMYK").bytes, "it is for CMYK pictures"),
      ("lab", ProfileBlock(space: "Lab ").bytes, "it is for pictures of another kind"),
    ]
    let ignored: [(String, [UInt8])] = [
      ("no curves", ProfileBlock(tags: ProfileBlock.matrix).bytes), ("count", count), ("cyclic", cyclic),
      ("no tags", ProfileBlock(tags: []).bytes), ("small size", ProfileBlock(size: 132).bytes),
    ]
    let all = used + dropped.map { ($0.0, $0.1) } + ignored
    for ending in ["jpg", "png"] {
      let names = ignored.map { "\($0.0).\(ending)" }.sorted()
      let outcome = try use(
        all.map { name, profile in
          let blocks = MetadataBlocks(profile: profile)
          return ("\(name).\(ending)", ending == "jpg" ? blocks.jpeg : blocks.png)
        })
      for (_, _, words) in dropped { expectNote(outcome, "ICC profile is not copied (\(words))") }
      expectNote(
        outcome, "note: the colour profile is damaged and ignored: \(names[0]), \(names[1]), \(names[2]) and 2 more")
    }
  }

  /// Segments that announce other numbers of segments than there are.
  @Test func lyingProfileSegments() throws {
    let profile = ProfileBlock().bytes
    let files = [0, 2, 255].map { (parts: Int) in
      ("\(parts).jpg", MetadataBlocks(profile: profile, profileParts: parts).jpeg)
    }
    let outcome = try use(files)
    expectNote(outcome, "ICC profile is not copied (it is damaged)", "0.jpg")
  }
}
