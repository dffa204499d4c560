import ImageCodecs
import ImageCore
import PDFVerify

/// The contact sheet of a report as a PNG or a JPEG.
enum ContactFile {
  /// The format of the file, chosen by its extension.
  enum Kind {
    case png, jpeg

    init?(_ path: String) {
      switch path.split(separator: ".").last?.lowercased() {
      case "png": self = .png
      case "jpg", "jpeg": self = .jpeg
      default: return nil
      }
    }

    fileprivate var codec: any PictureCodec {
      switch self {
      case .png: PNGCodec()
      case .jpeg: JPEGCodec()
      }
    }
  }

  static func write(_ report: VerificationReport, to path: String) throws(PictureError) {
    let file: WholeFile
    do throws(FileError) { file = try WholeFile(path) } catch { throw .file(error) }
    guard let codec = Kind(path)?.codec,
      let arguments = try? Arguments(RawArguments(), parameters: codec.saveParameters, positionalCount: 0)
    else { preconditionFailure("the codec's own defaults are wrong") }
    var encoder: (any PictureEncoder)?
    var stride = 0
    let isDrawn = try report.drawContactSheet { (width, height) throws(PictureError) in
      let layout = PictureLayout(width: width, height: height, format: .rgb8)
      stride = layout.rowByteCount
      encoder = try codec.makeEncoder(to: file, layout: layout, metadata: PictureMetadata(), arguments: arguments)
    } row: { (row) throws(PictureError) in
      try encoder?.write(1, from: row.baseAddress!, stride: stride)
    }
    guard isDrawn else { throw .operation(.unsuitable("there is not enough memory to draw the contact sheet")) }
    try encoder?.finish()
    try file.commit()
  }
}
