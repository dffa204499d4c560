/// Settings and requirements of a document's checks.
struct CheckSettings: Sendable {
  /// The number of threads that check pages.
  let jobs: Int
  let limits: MemoryLimits
  let requirements: Requirements
  let sources: SourceFolder?
  let decodeJPEG: JPEGDecoding
  /// Whether the report can draw a contact sheet.
  let drawsPages: Bool
  /// The maximum number of pixels that poppler may decode for one page to render each picture at its own scale.
  let nativePixels: Int
}
