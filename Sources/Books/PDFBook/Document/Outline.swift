import BookExpectations
import ImageCore

/// The outline (PDF 32000-1:2008, 12.3.3) as it grows with the pages.
///
/// Each page may bring a path of titles, outermost first. What it shares with the path before it is there
/// already: pages in a row with one title make one entry, which opens the first of them.
struct Outline {
  private struct Entry {
    let title: String
    /// The page's object, and its number from 1.
    let page: Int
    let number: Int
    let parent: Int?
    var children: [Int] = []
  }
  private var entries: [Entry] = []
  private var roots: [Int] = []
  /// Places in `entries` of the path before.
  private var open: [Int] = []

  /// Whether there is none.
  var isEmpty: Bool { entries.isEmpty }

  /// What stands between the levels of a path that is one text.
  static let separator = " > "

  /// Levels: what viewers can still show, and read without being lost in it.
  static let deepest = 32

  /// Why a text cannot be a path; nil where it can.
  static func problem(with text: String) -> String? {
    let levels = path(text).count
    return levels > deepest ? "it has \(levels) levels; an outline has at most \(deepest)" : nil
  }

  /// The levels of a path that is one text, blank ones left out. Control characters, which names of files may have,
  /// are spaces.
  static func path(_ text: String) -> [String] {
    var levels: [String] = []
    var level = Substring()
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix(separator) {
        levels.append(String(level))
        level = ""
        rest = rest.dropFirst(separator.count)
      } else {
        level.append(rest.removeFirst())
      }
    }
    return (levels + [String(level)]).filter { !$0.allSatisfy(\.isWhitespace) }.map { level in
      guard TextError.firstControl(in: level) != nil else { return level }
      let scalars = level.unicodeScalars.map { TextError.isControl($0) ? " " : $0 }
      return String(String.UnicodeScalarView(scalars))
    }
  }

  /// - Parameters:
  ///   - page: the page's object.
  ///   - number: the page's, from 1.
  mutating func add(_ path: [String], page: Int, number: Int) {
    guard !path.isEmpty else { return }
    var shared = 0
    while shared < min(open.count, path.count), entries[open[shared]].title == path[shared] {
      shared += 1
    }
    open.removeSubrange(shared...)
    for title in path[shared...] {
      entries.append(Entry(title: title, page: page, number: number, parent: open.last))
      let place = entries.count - 1
      if let parent = open.last {
        entries[parent].children.append(place)
      } else {
        roots.append(place)
      }
      open.append(place)
    }
  }

  /// What `imghost-verify` must find, from the top down.
  var expectation: [DocumentExpectation.OutlineEntry] {
    // Children come after their parents, and before their parents' next siblings.
    var depths: [Int] = []
    return entries.map { entry in
      depths.append(entry.parent.map { depths[$0] + 1 } ?? 0)
      return .init(depth: depths.last!, page: entry.number, title: entry.title)
    }
  }

  /// The objects, the root first; the outermost level is open.
  func objects(_ reserve: () -> Int) -> [(object: Int, dictionary: String)] {
    let root = reserve()
    let numbers = entries.map { _ in reserve() }
    var result = [
      (
        root,
        "<</Type/Outlines/First \(numbers[roots[0]]) 0 R/Last \(numbers[roots.last!]) 0 R"
          + "/Count \(roots.count)>>"
      )
    ]
    func write(_ siblings: [Int], parent: Int) {
      for (index, place) in siblings.enumerated() {
        let entry = entries[place]
        var text = "<</Title\(PDFString.text(entry.title))/Parent \(parent) 0 R"
        if index > 0 { text += "/Prev \(numbers[siblings[index - 1]]) 0 R" }
        if index + 1 < siblings.count { text += "/Next \(numbers[siblings[index + 1]]) 0 R" }
        if let first = entry.children.first, let last = entry.children.last {
          // Negative: closed, with as many below.
          text += "/First \(numbers[first]) 0 R/Last \(numbers[last]) 0 R"
          text += "/Count -\(entry.children.count)"
        }
        result.append((numbers[place], text + "/Dest[\(entry.page) 0 R/Fit]>>"))
      }
      for place in siblings where !entries[place].children.isEmpty {
        write(entries[place].children, parent: numbers[place])
      }
    }
    write(roots, parent: root)
    return result
  }
}
