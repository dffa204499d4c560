/// Settings and requirements that a document is checked with.
struct CheckSettings: Sendable {
  /// Threads that check pages.
  let jobs: Int
  let limits: MemoryLimits
  let requirements: Requirements
  let sources: SourceFolder?
  let decodeJPEG: JPEGDecoding
  /// Whether the report can draw a contact sheet.
  let drawsPages: Bool
  /// Pixels that poppler may decode for one page to render each picture at its own scale.
  let nativePixels: Int
}
