import ImageCore
import ImagePipeline
import PDFBook

/// Compresses a picture without loss. Fails if its pixels show that the document cannot have it, so that the picture is
/// lost and not the document.
final class LosslessPreparer: PictureEncoder {
  private let encoder: LosslessEncoder
  private let settings: DocumentSettings
  /// Whether opacity has been checked, which need not wait for the last row.
  private var hasMetOpacity = false

  init(_ encoder: LosslessEncoder, _ settings: DocumentSettings) {
    self.encoder = encoder
    self.settings = settings
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try encoder.write(count, from: rows, stride: stride)
    guard !encoder.isOpaque, !hasMetOpacity else { return }
    hasMetOpacity = true
    try check()
  }

  func finish() throws(PictureError) {
    try encoder.finish()
    try check()
  }

  private func check() throws(PictureError) {
    if let problem = settings.problem(with: encoder.picture) { throw .operation(.unsuitable(problem)) }
  }

  /// The compressed picture. Only after `finish()`.
  var picture: PDFPicture { encoder.picture }
}
