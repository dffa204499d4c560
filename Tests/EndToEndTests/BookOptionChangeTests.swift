import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Options of a book that change between runs with `--only-changed`: the book has the bytes of a run from nothing, and
/// is kept if these are the bytes that it has.
struct BookOptionChangeTests {
  /// Calls in which options take effect.
  private static let calls = [
    "layout = 'single', paper = 'a6', caption = '{stem}', header = 'h', footer = 'f', title_page = 'T'",
    "layout = 'grid', paper = 'a6', caption = '{stem}', page_number = '{page}', rows = 2",
    "layout = 'auto', paper = 'a6', title = 'B', title_page = 'T', caption = '{stem}'",
    "layout = 'cover', paper = 'a6', cover_pages = 40, paper_thickness = '0.1mm', spine_text = 'S', front_title = 'F'",
    "layout = 'spread', paper = 'a6', binding = 'hardcover', conformance = 'pdf/a-2b', title = 'B', lang = 'en'",
  ]

  /// An option as `imghost ops book --json` describes it.
  private struct Option: Decodable {
    let name: String
    let type: String
    let choices: [String]?
    let minimum: Double?
    let usual: String?

    private enum CodingKeys: String, CodingKey {
      case name, type, choices, minimum
      case usual = "default"
    }

    init(from decoder: any Decoder) throws {
      let facts = try decoder.container(keyedBy: CodingKeys.self)
      name = try facts.decode(String.self, forKey: .name)
      type = try facts.decode(String.self, forKey: .type)
      choices = try facts.decodeIfPresent([String].self, forKey: .choices)
      minimum = try? facts.decodeIfPresent(Double.self, forKey: .minimum)
      usual =
        (try? facts.decodeIfPresent(Bool.self, forKey: .usual)).map { "\($0)" }
        ?? (try? facts.decodeIfPresent(Double.self, forKey: .usual)).map { "\($0)" }
        ?? (try? facts.decodeIfPresent(String.self, forKey: .usual)).map { "'\($0)'" }
    }

    /// The default, and another value.
    var values: [String] {
      let other: String? =
        switch type {
        case "boolean": usual == "true" ? "false" : "true"
        case "integer", "number": "\(Int(max(minimum ?? 1, 3)))"
        case "choice": choices?.last.map { "'\($0)'" }
        case "colour": "'#123456'"
        case "text": "'{stem} 5'"
        case "lengths": "'3mm'"
        case "fields", "texts": "{ a = 'x' }"
        default: nil
        }
      return [usual, other].compactMap { $0 }
    }
  }

  private struct Description: Decodable { let parameters: [Option] }

  private struct Change {
    let folder: Folder

    init() throws {
      folder = try Folder()
      for (index, name) in ["a.jpg", "b.png", "c.jpg"].enumerated() {
        try folder.run("img.canvas(80, \(60 + 9 * index), { background = '#5\(index)9' }):save('\(name)')").expect(
          status: 0)
      }
    }

    /// Runs a call; nil if its options are mistaken.
    func bytes(_ call: String, _ arguments: String..., to output: String) throws -> (bytes: [UInt8], isKept: Bool)? {
      try folder.write(
        "s.lua",
        """
        local img = require 'imghost'
        local pictures = { img.open 'a.jpg', img.open('b.png'):blur(1)\(call.contains("'cover'") ? "" : ", img.open 'c.jpg'") }
        img.book('o.pdf', pictures, { \(call) })
        """)
      let outcome = try folder.imghost(
        ["run"] + arguments + ["--out", output, "s.lua"], environment: ["SOURCE_DATE_EPOCH": "1600000000"])
      guard outcome.status == 0 else { return nil }
      return (folder.bytes(output + "/o.pdf"), outcome.error.contains("0 files"))
    }
  }

  @Test func changesWhatDepends() throws {
    let facts = try Folder().imghost("ops", "book", "--json")
    let options = try JSONDecoder().decode(Description.self, from: Data(facts.output.utf8)).parameters
    #expect(options.count > 100)
    let change = try Change()
    var (taken, same) = (0, 0)
    // A book with a password has other bytes each time.
    for (place, option) in options.enumerated() where isThorough || place % 16 == 3 {
      if option.name.hasSuffix("password") { continue }
      for call in Self.calls {
        let others = call.components(separatedBy: ", ").filter { !$0.hasPrefix(option.name + " = ") }
        var isTaken = false
        for value in option.values {
          let changed = (others + ["\(option.name) = \(value)"]).joined(separator: ", ")
          guard let wanted = try change.bytes(changed, to: "fresh") else { continue }
          guard let before = try change.bytes(call, "--only-changed", to: "o") else { continue }
          let after = try change.bytes(changed, "--only-changed", to: "o")
          #expect(after?.bytes == wanted.bytes, "\(changed)")
          (taken, isTaken) = (taken + 1, true)
          guard wanted.bytes == before.bytes, value == option.usual else { continue }
          same += 1
          #expect(after?.isKept == true || Self.remade.contains(option.name), "\(changed)")
        }
        if isTaken { break }
      }
    }
    #expect(taken > (isThorough ? 150 : 6))
    #expect(same > (isThorough ? 60 : 2))
  }

  /// The options with which a book is made again even if they state the default, because it may matter that they are
  /// given.
  private static let remade: Set = ["caption_lines", "caption_overflow"]
}
