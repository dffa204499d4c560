import ImageCore

/// Files of one picture in several sizes. Browsers choose one of them from the HTML attribute `srcset`.
///
/// All files were written by `save`, and have the same source, page, crop, rotation, format and aspect ratio. If two
/// files are equally wide, such as a picture and its gray copy, the files are divided into one set for each line of the
/// script.
struct SourceSet {
  private struct Candidate {
    let url: String
    let width: Int
    let height: Int
    let line: Int?
  }

  private struct Key: Hashable {
    let source: String
    let page: Int
    let view: String
    let format: String
  }

  private let key: Key
  /// The candidates in the order of the outputs; in a set from `ordered`, in the order of width.
  private var candidates: [Candidate]

  /// Returns the sets with at least two sizes, in the order of their first outputs.
  static func all(of outputs: [OutputManifest.Output]) -> [SourceSet] {
    var sets: [SourceSet] = []
    var places: [Key: [Int]] = [:]
    for output in outputs {
      guard let (key, candidate) = candidate(output) else { continue }
      if let place = places[key]?.first(where: { sets[$0].hasShape(of: candidate) }) {
        sets[place].candidates.append(candidate)
      } else {
        places[key, default: []].append(sets.count)
        sets.append(SourceSet(key: key, candidates: [candidate]))
      }
    }
    return sets.flatMap(\.divided).compactMap(\.ordered)
  }

  private static func candidate(_ output: OutputManifest.Output) -> (Key, Candidate)? {
    guard output.function == "save", let source = output.sources.first, case .written(let file, _, _) = output.state,
      let picture = file.picture
    else { return nil }
    let candidate = Candidate(
      url: PercentEncoding.path(output.path), width: picture.width, height: picture.height, line: output.line)
    return (Key(source: source, page: output.page, view: output.view, format: picture.format), candidate)
  }

  /// Returns whether a candidate has the aspect ratio of this set, except for rounding to whole pixels.
  private func hasShape(of other: Candidate) -> Bool {
    let first = candidates[0]
    let difference = Double(first.width) * Double(other.height) - Double(other.width) * Double(first.height)
    return abs(difference) <= Double(max(first.width, first.height) + max(other.width, other.height)) / 2
  }

  /// The set itself, or one set for each line of the script if several files are equally wide.
  private var divided: [SourceSet] {
    let widths = Set(candidates.map(\.width)), urls = Set(candidates.map(\.url))
    guard urls.count > widths.count else { return [self] }
    var lines: [Int?] = []
    for candidate in candidates where !lines.contains(candidate.line) { lines.append(candidate.line) }
    return lines.map { line in
      SourceSet(key: key, candidates: candidates.filter { $0.line == line })
    }
  }

  /// The set in order of width, with each width once; nil if only one width remains.
  private var ordered: SourceSet? {
    var widths: Set<Int> = []
    let all = candidates.filter { widths.insert($0.width).inserted }.sorted { $0.width < $1.width }
    return all.count > 1 ? SourceSet(key: key, candidates: all) : nil
  }

  var json: JSON {
    let largest = candidates[candidates.count - 1]
    return .object(
      [("source", .text(key.source))] + (key.page > 1 ? [("page", .integer(key.page))] : []) + [
        ("format", .text(key.format)), ("type", .optional(Self.mediaTypes[key.format])),
        ("width", .integer(largest.width)), ("height", .integer(largest.height)),
        ("srcset", .text(candidates.map { "\($0.url) \($0.width)w" }.joined(separator: ", "))),
      ])
  }

  /// The media types of the formats that browsers can show.
  private static let mediaTypes = [
    "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "avif": "image/avif", "jpegxl": "image/jxl",
    "gif": "image/gif", "svg": "image/svg+xml", "bmp": "image/bmp", "ico": "image/x-icon",
  ]
}
