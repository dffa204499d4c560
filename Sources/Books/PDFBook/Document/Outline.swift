import BookExpectations
import ImageCore
import TextShaping

/// The outline (PDF 32000-1:2008, 12.3.3), built page by page.
///
/// A page may have paths of titles, each beginning with the outermost title. Titles shared with the previous path are
/// not repeated: consecutive pages with the same title share one entry, which opens the first of them.
struct Outline {
  private struct Entry {
    let title: String
    /// The object of the page, and its number from 1.
    let page: Int
    let number: Int
    let parent: Int?
    var children: [Int] = []
  }
  private var entries: [Entry] = []
  private var roots: [Int] = []
  /// The indices in `entries` of the last path's titles.
  private var open: [Int] = []

  var isEmpty: Bool { entries.isEmpty }

  /// The separator of levels in a path that is written as one text.
  static let separator = " > "

  /// The maximum number of levels; deeper outlines would confuse viewers and readers.
  static let maximumDepth = 32

  /// Returns why a text cannot be a path; nil if it can.
  static func problem(with text: String) -> String? {
    let levels = path(text).count
    return levels > maximumDepth ? "it has \(levels) levels; an outline has at most \(maximumDepth)" : nil
  }

  /// Splits a text into the levels of a path, and drops blank levels. Control characters, which file names may contain,
  /// become spaces.
  static func path(_ text: String) -> [String] {
    if text.isEmpty { return [] }
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
  ///   - page: the object of the page.
  ///   - number: the page's number, from 1.
  mutating func add(_ path: [String], page: Int, number: Int) {
    guard !path.isEmpty else { return }
    var shared = 0
    while shared < min(open.count, path.count), entries[open[shared]].title == path[shared] { shared += 1 }
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

  /// The entries that `imghost-verify` checks, in depth-first order.
  var expectation: [DocumentExpectation.OutlineEntry] {
    // Each entry comes after its parent, so the parent's depth is known.
    var depths: [Int] = []
    return entries.map { entry in
      depths.append(entry.parent.map { depths[$0] + 1 } ?? 0)
      return .init(depth: depths.last!, page: entry.number, title: entry.title)
    }
  }

  /// Returns the objects, the root first. Viewers show only the outermost level at first.
  func objects(_ reserve: () -> Int) -> [(object: Int, dictionary: String)] {
    let root = reserve()
    let numbers = entries.map { _ in reserve() }
    var result = [
      (
        root,
        "<</Type/Outlines/First \(numbers[roots[0]]) 0 R/Last \(numbers[roots.last!]) 0 R" + "/Count \(roots.count)>>"
      )
    ]
    func write(_ siblings: [Int], parent: Int) {
      for (index, place) in siblings.enumerated() {
        let entry = entries[place]
        var text = "<</Title\(PDFString.text(entry.title))/Parent \(parent) 0 R"
        if index > 0 { text += "/Prev \(numbers[siblings[index - 1]]) 0 R" }
        if index + 1 < siblings.count { text += "/Next \(numbers[siblings[index + 1]]) 0 R" }
        if let first = entry.children.first, let last = entry.children.last {
          // A negative count means that the entry is closed; its absolute value is the number of children.
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
