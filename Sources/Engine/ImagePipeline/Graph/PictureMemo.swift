import ImageCore

/// The facts about an operation's picture in few bytes, because thousands of pictures may be pending at once.
final class PictureMemo: Sendable {
  private enum Kept: Sendable {
    case brief(BriefLayout, BriefMetadata, codec: String, adapted: Adapted?)
    /// An info with metadata that `BriefMetadata` cannot represent.
    indirect case whole(Picture.Info)
    indirect case problem(Picture.Problem)
  }

  /// An operation that was adapted to this picture. Most pictures use the operation of their step unchanged.
  private final class Adapted: Sendable {
    let operation: any PictureOperation
    init(_ operation: any PictureOperation) { self.operation = operation }
  }

  private let kept: Kept

  init(_ problem: Picture.Problem) { kept = .problem(problem) }

  /// - Parameter isAdapted: whether the operation differs from the picture's own.
  init(_ info: Picture.Info, isAdapted: Bool) {
    if let metadata = BriefMetadata(info.metadata) {
      kept = .brief(
        BriefLayout(info.layout), metadata, codec: info.codec,
        adapted: isAdapted ? info.operation.map { Adapted($0) } : nil)
    } else {
      kept = .whole(info)
    }
  }

  /// - Parameter operation: the picture's own operation.
  func info(_ operation: any PictureOperation) throws(Picture.Problem) -> Picture.Info {
    switch kept {
    case .brief(let layout, let metadata, let codec, let adapted):
      Picture.Info(
        layout: layout.whole, metadata: metadata.whole, codec: codec,
        operation: adapted?.operation ?? operation)
    case .whole(let info): info
    case .problem(let problem): throw problem
    }
  }
}

/// A layout in 12 bytes.
struct BriefLayout: Sendable {
  private let width: Int32
  private let height: Int32
  private let format: PixelFormat

  init(_ layout: PictureLayout) {
    width = Int32(layout.width)
    height = Int32(layout.height)
    format = layout.format
  }

  var whole: PictureLayout { PictureLayout(width: Int(width), height: Int(height), format: format) }
}

/// The orientation and the resolution, in 17 bytes.
struct BriefMetadata: Sendable {
  /// The resolution; NaN if there is none.
  private let horizontal: Double
  private let vertical: Double
  private let orientation: Orientation

  /// Makes brief metadata; nil if there is more than an orientation and a resolution.
  init?(_ metadata: PictureMetadata) {
    guard metadata.iccProfile.isEmpty, metadata.exif.isEmpty, metadata.exifBlock.isEmpty,
      metadata.xmp.isEmpty, metadata.iptc.isEmpty, metadata.losses.isEmpty
    else { return nil }
    orientation = metadata.orientation
    horizontal = metadata.resolution?.horizontal ?? .nan
    vertical = metadata.resolution?.vertical ?? .nan
  }

  var whole: PictureMetadata {
    PictureMetadata(
      orientation: orientation,
      // NaN represents a missing resolution.
      resolution: Resolution(horizontal: horizontal, vertical: vertical))
  }
}
