import ImageCore
import Synchronization
import TestSupport
import Testing
import TextShaping

@testable import ImageOperations

/// Texts on pictures. Pango must be installed.
struct TextTests {
  private static func white(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8) -> Picture {
    Picture(width, height, format) { _, _, _ in format.sample.maximum }
  }

  /// The smallest box around pixels that differ from a full first band; nil for none.
  private static func ink(_ picture: Picture) -> (left: Int, top: Int, right: Int, bottom: Int)? {
    var box: (left: Int, top: Int, right: Int, bottom: Int)?
    for y in 0..<picture.height {
      for x in 0..<picture.width where picture[x, y, 0] != picture.top {
        guard let old = box else {
          box = (x, y, x + 1, y + 1)
          continue
        }
        box = (min(old.left, x), min(old.top, y), max(old.right, x + 1), max(old.bottom, y + 1))
      }
    }
    return box
  }

  /// The ink of a picture: its number of wholly black pixels.
  private static func amount(_ picture: Picture) -> Double {
    var sum = 0.0
    for y in 0..<picture.height { for x in 0..<picture.width { sum += 1 - Double(picture[x, y, 0]) / 255 } }
    return sum
  }

  private static func run(_ text: String, _ named: [String: ParameterValue], _ picture: Picture = white(300, 200))
    throws
    -> Picture
  {
    try Call("text", .text(text), named: named.merging(["colour": "black", "size": 24]) { own, _ in own }).run(picture)
  }

  static let positions: [(String, x: Int, y: Int)] = [
    ("left top", -1, -1), ("top", 0, -1), ("right top", 1, -1), ("left", -1, 0), ("centre", 0, 0), ("right", 1, 0),
    ("left bottom", -1, 1), ("south", 0, 1), ("southeast", 1, 1),
  ]

  @Test(arguments: positions)
  func textsStandAtTheirPosition(_ name: String, _ x: Int, _ y: Int) throws {
    let box = try #require(Self.ink(try Self.run("Hamburg", ["position": .text(name), "margin": 10])))
    let across =
      x == -1
      ? (8...16).contains(box.left) : x == 1 ? (284...292).contains(box.right) : abs(box.left + box.right - 300) < 8
    let down =
      y == -1
      ? (8...22).contains(box.top) : y == 1 ? (178...192).contains(box.bottom) : abs(box.top + box.bottom - 200) < 16
    #expect(across && down, "\(name): \(box)")
  }

  @Test func placeIsThatOfTheBox() throws {
    let first = try #require(Self.ink(try Self.run("Hamburg", ["left": 20, "top": 30])))
    let second = try #require(Self.ink(try Self.run("Hamburg", ["left": 27, "top": 41])))
    #expect((20...24).contains(first.left) && (30...42).contains(first.top))
    #expect(second.left - first.left == 7 && second.top - first.top == 11 && second.right - first.right == 7)
  }

  /// Scripts that run to the left, that join letters, with combining marks above and below, and with large alphabets.
  static let scripts = [
    "Grüße", "שלום עולם", "مرحبا بالعالم", "हिन्दी", "ภาษาไทย", "日本語", "Ελληνικά", "e\u{301}\u{323}\u{308}",
  ]

  /// All ink of a text lies in the picture that img.text makes for it, and nothing is missing.
  @Test(arguments: scripts)
  func inkStaysInItsBox(_ text: String) throws {
    try needFonts(for: text)
    let notes = Mutex<[String]>([])
    let context = OperationContext.serial.noting { note in notes.withLock { $0.append(note) } }
    for named: [String: ParameterValue] in [[:], ["angle": 33], ["outline": "red", "shadow": "blue", "angle": -90]] {
      let arguments = try Arguments(
        RawArguments(positional: [.text(text)], named: named.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
        for: TextPicture.descriptor)
      let operation = try TextPicture(arguments)
      let ground = Picture(1, 1, .rgba8) { _, _, _ in 0 }
      let picture = try operation.run([ground], context)
      // Drawn on a larger picture, as much ink comes out.
      let whole = try #require(
        try? Call(
          "text", .text(text),
          named: named.merging(["size": 48, "colour": "black", "left": 60, "top": 60, "width": 5_000]) { $1 }
        )
        .run(Picture(picture.width + 200, picture.height + 200, .rgba8) { _, _, _ in 0 }, in: context))
      func alpha(_ picture: Picture) -> Int {
        (0..<picture.height).reduce(0) { sum, y in (0..<picture.width).reduce(sum) { $0 + picture[$1, y, 3] } }
      }
      #expect(alpha(picture) > 30_000, "\(text)")
      #expect(abs(alpha(picture) - alpha(whole)) <= alpha(whole) / 200, "\(text) \(named)")
    }
    #expect(notes.withLock { $0 } == [])
  }

  @Test func rightToLeftStartsAtTheRight() throws {
    let options: [String: ParameterValue] = ["left": 0, "top": 0]
    let left = try #require(Self.ink(try Self.run("aaaaaaaaaa\nb", options)))
    let arabic = try Self.run("שששששששששש\nש", options)
    #expect(left.left < 5)
    // The single letter of the second line is at the right.
    let box = try #require(Self.ink(arabic))
    let second = (0..<300).filter { x in (36..<56).contains { arabic[x, $0, 0] < 128 } }
    #expect(try #require(second.min()) > (box.left + box.right) / 2, "\(second)")
  }

  /// A mark changes only the pixels above its letter.
  @Test func marksStackOnTheirLetter() throws {
    let options: [String: ParameterValue] = ["left": 20, "top": 20, "size": 60]
    let plain = try #require(Self.ink(try Self.run("e", options)))
    let marked = try #require(Self.ink(try Self.run("e\u{301}", options)))
    #expect(marked.top < plain.top - 4 && marked.bottom == plain.bottom && marked.right <= plain.right + 6)
  }

  @Test func linesBreakAtTheWidth() throws {
    let text = "one two three four five six"
    let wide = try #require(Self.ink(try Self.run(text, ["left": 0, "top": 0, "width": 5_000], Self.white(600, 300))))
    let narrow = try #require(Self.ink(try Self.run(text, ["left": 0, "top": 0, "width": 100], Self.white(600, 300))))
    #expect(wide.bottom < 40 && wide.right > 280)
    #expect(narrow.right <= 100 && narrow.bottom > 90)
    // By default the picture's edge is the width.
    let fitting = try #require(Self.ink(try Self.run(text, [:], Self.white(120, 300))))
    #expect(fitting.left >= 3 && fitting.right <= 117)
  }

  @Test func missingCharactersAreNoted() throws {
    let notes = Mutex<[String]>([])
    let context = OperationContext.serial.noting { note in notes.withLock { $0.append(note) } }
    // A private use character, and an emoji that only has pictures.
    let result = try Call("text", "a\u{e123}b\u{e123}", named: ["size": 24, "colour": "black"]).run(
      Self.white(90, 60), in: context)
    #expect(Self.ink(result) != nil)
    #expect(notes.withLock { $0 } == ["no installed font has '\u{e123}' (U+E123); it is left out"])
  }

  @Test func opacityAndAlphaMultiply() throws {
    let solid = Self.amount(try Self.run("Hamburg", [:]))
    #expect(abs(Self.amount(try Self.run("Hamburg", ["opacity": 0.5])) / solid - 0.5) < 0.02)
    #expect(abs(Self.amount(try Self.run("Hamburg", ["opacity": 0.5, "colour": "#00000080"])) / solid - 0.25) < 0.02)
  }

  @Test func outlineShadowAndBackground() throws {
    let plain = try #require(Self.ink(try Self.run("Hamburg", [:])))
    let outlined = try #require(Self.ink(try Self.run("Hamburg", ["outline": "black", "outline_width": 3])))
    #expect((2...4).contains(plain.left - outlined.left) && (2...4).contains(outlined.bottom - plain.bottom))
    let shadow = try #require(
      Self.ink(try Self.run("Hamburg", ["shadow": "black", "shadow_offset": 12, "shadow_blur": 0])))
    #expect(shadow.left == plain.left && shadow.right - plain.right == 12 && shadow.bottom - plain.bottom == 12)
    let boxed = try Self.run("Hamburg", ["background": "black", "colour": "white", "padding": 5])
    let box = try #require(Self.ink(boxed))
    #expect((3...8).contains(plain.left - box.left) && boxed[box.left + 1, box.top + 1, 0] == 0)
  }

  /// A turned text has as much ink as an upright one.
  @Test func angleTurnsTheText() throws {
    let upright = try Self.run("Hamburg", [:])
    let turned = try Self.run("Hamburg", ["angle": 90])
    let (before, after) = (try #require(Self.ink(upright)), try #require(Self.ink(turned)))
    #expect(abs((before.right - before.left) - (after.bottom - after.top)) <= 2)
    #expect(abs(Self.amount(upright) - Self.amount(turned)) < Self.amount(upright) / 50)
  }

  @Test(arguments: PixelFormat.all)
  func formatsStay(_ format: PixelFormat) throws {
    let picture = Picture(90, 40, format) { _, _, _ in format.sample.maximum }
    let result = try Self.run("Hg", ["colour": "black"], picture)
    #expect(result.layout.format == format)
    #expect(try #require(Self.ink(result)).left > 10)
    #expect(try Self.run("Hg", ["colour": "red"], picture).layout.format.model == .rgb)
  }

  /// Nothing outside the picture is drawn, and nothing of it costs memory.
  @Test func hugeTextsAreCut() throws {
    let long = String(repeating: "W", count: 900)
    #expect(Self.ink(try Self.run(long, ["size": 1_000, "left": -20, "top": -400], Self.white(40, 30))) != nil)
    #expect(Self.ink(try Self.run("W", ["left": 5_000, "top": 0])) == nil)
    #expect(throws: PictureError.self) { try Self.run(String(repeating: "W", count: 9_000), ["size": 2_000]) }
  }

  static let mistakes: [(text: String, named: [String: ParameterValue], message: String)] = [
    ("a\u{7}", [:], "the text 'a\u{fffd}' contains the control character U+0007"),
    ("a", ["position": "top", "left": 1], "'position' cannot be given together with 'left' or 'top'"),
    ("a", ["font": " "], "'font' is empty; leave it out, or name a family such as 'Serif'"),
    (
      "a", ["font": "DejaVu Sanz"],
      "the font 'DejaVu Sanz' is not installed (did you mean 'DejaVu Sans'?); 'fc-list : family' lists the installed ones"
    ),
    ("a", ["padding": 3], "'padding' is given, but no 'background'"),
    ("a", ["language": "日"], "'language' cannot be '日'; write it as 'en' or 'zh-Hant'"),
  ]

  @Test(arguments: mistakes)
  func mistakesAreNamed(_ text: String, _ named: [String: ParameterValue], _ message: String) throws {
    #expect(throws: OperationError.unsuitable(message)) { try Call("text", .text(text), named: named).make() }
  }

  @Test func sharesFollowTheShorterSide() throws {
    func height(_ size: ParameterValue, _ width: Int, _ height: Int) throws -> Int {
      let box = try #require(Self.ink(try Self.run("H", ["size": size], Self.white(width, height))))
      return box.bottom - box.top
    }
    #expect(try height("25%", 400, 200) == height(50, 400, 200) && height("25%", 200, 900) == height(50, 200, 900))
    for wrong: ParameterValue in ["5", "200%", "%", "-1%", 0, true] {
      let error = #expect(throws: ArgumentErrors.self) { try Call("text", "a", named: ["size": wrong]).make() }
      // A share that is too large is a text, as all shares are.
      if case .text = wrong { #expect(error.map { !"\($0)".contains("not a string") } == true, "\(wrong)") }
    }
  }
}
