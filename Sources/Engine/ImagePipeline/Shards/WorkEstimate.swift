import ImageCore

/// Predicts processor time from headers, in nanoseconds. Shards need shares that are about equal, so round numbers
/// will do: they were not measured one by one.
///
/// Integers only, so that every machine divides a script alike.
enum WorkEstimate {
  /// The time for an output beside its pixels: opening, planning, naming.
  private static let fixed = 300_000

  /// Nanoseconds to decode a pixel.
  private static func decoding(_ codec: String) -> Int {
    switch codec {
    case "jpeg": 3
    case "bmp", "pnm", "qoi", "tiff": 4
    case "png", "webp", "gif": 10
    case "avif", "heif", "jpegxl": 20
    case "jpeg2000", "pdf", "svg": 40
    case "raw": 80
    default: 10
    }
  }

  /// Nanoseconds to encode a pixel.
  private static func encoding(_ codec: String) -> Int {
    switch codec {
    case "jpeg", "bmp", "pnm", "tiff": 6
    case "webp": 90
    case "avif": 300
    case "jpegxl", "jpeg2000": 120
    default: 30
    }
  }

  /// Nanoseconds for a pixel of an operation's result.
  private static let operation = 4

  private static func pixels(_ layout: PictureLayout) -> Int { layout.width * layout.height }

  /// The time to read a source picture.
  ///
  /// - Parameter ends: the pictures that are made of it. A JPEG is decoded at a fraction for small ones: its entropy
  ///   code takes a third of the time, and always all of it.
  static func source(_ picture: Picture, for ends: [Picture]) -> Int {
    guard case .source(let file, _, _) = picture.step, let contents = try? file.read() else { return fixed }
    let all = pixels(contents.header.layout)
    let largest = ends.compactMap { try? $0.info().layout }.map(pixels).max() ?? all
    guard contents.header.codec == "jpeg" else { return fixed + all * decoding(contents.header.codec) }
    // Twice the width and height that are needed, as the planner has it.
    let decoded = min(all, largest * 4)
    return fixed + (all + decoded * 2) * decoding("jpeg") / 3
  }

  /// The time for the operations between a source and a picture.
  static func operations(of picture: Picture) -> Int {
    var sum = 0
    var current: Picture? = picture
    while let step = current, !step.inputs.isEmpty {
      if let layout = try? step.info().layout { sum += pixels(layout) * operation }
      current = step.inputs.first
    }
    return sum
  }

  static func encoding(_ file: FileOutput) -> Int {
    guard file.use == nil, let layout = try? file.picture.info().layout else { return fixed }
    // A goal takes about six trials.
    return fixed + pixels(layout) * encoding(file.format.codec.name) * (file.goal == nil ? 1 : 6)
  }

  static func encoding(_ page: DocumentEntry) -> Int {
    guard page.copiesSource == nil, let layout = try? page.picture.info().layout else { return fixed }
    return fixed + pixels(layout) * encoding("jpeg")
  }
}
