import ImageCore

/// The shrink factors of files that several pictures of a run read. All pictures that read a file have the same factor,
/// so that the file is decoded once.
///
/// The factor is the smallest that one of the pictures needs. It is decided for the run and not for each task, because
/// tasks depend on the number of workers, and pixels must not. Parts of a file have their own factors, because decoding
/// only a part costs less than keeping the whole file.
struct SharedShrinks: Sendable {
  /// The maximum number of bytes of rows that are kept to share them. A larger picture is decoded again for each
  /// factor, row by row.
  static let mostBytes = 128 << 20

  /// The factors by the pictures that open the files.
  private var factors: [ObjectIdentifier: Int] = [:]

  /// Creates an instance for pictures that share no file.
  init() {}

  /// - Parameters:
  ///   - ends: the pictures of the run that are made row by row, with equal pictures replaced by one representative.
  ///   - sharedFrames: the pictures that are made separately, see `SharedFrame`.
  ///   - kept: pictures that have already been made.
  init(_ ends: [Picture], sharedFrames: [ObjectIdentifier: SharedFrame], kept: [ObjectIdentifier: SharedFrame]) {
    var readers: [ObjectIdentifier: [Picture]] = [:]
    var seen: Set<ObjectIdentifier> = []
    var pending = ends
    while let end = pending.popLast() {
      guard sharedFrames[ObjectIdentifier(end)] == nil, seen.insert(ObjectIdentifier(end)).inserted else { continue }
      var picture = end
      while let first = picture.inputs.first {
        pending += picture.inputs.dropFirst()
        picture = first
      }
      readers[ObjectIdentifier(picture), default: []].append(end)
    }
    for (source, pictures) in readers where pictures.count > 1 {
      factors[source] = Self.factor(pictures, kept)
    }
  }

  /// Returns the smallest factor among the pictures that read one file; nil if the rows would take too much memory, if
  /// the file does not support shrinking, or if no picture reads the whole file.
  private static func factor(_ pictures: [Picture], _ kept: [ObjectIdentifier: SharedFrame]) -> Int? {
    guard let header = try? pictures[0].origin?.read().header, header.shrinkFactors.contains(where: { $0 > 1 }) else {
      return nil
    }
    var least: Int?
    for picture in pictures {
      guard let chain = try? PlanChain(picture, kept: kept), case .source = chain.pictures[0].step,
        chain.region == nil
      else { continue }
      least = min(least ?? chain.shrink, chain.shrink)
    }
    return least.flatMap { PixelBuffer.byteCount(header.layout.shrunk(by: $0)) <= mostBytes ? $0 : nil }
  }

  /// Returns the shrink factor that pictures made from `source` share; nil if they share none.
  func factor(of source: Picture) -> Int? { factors.isEmpty ? nil : factors[ObjectIdentifier(source)] }
}
