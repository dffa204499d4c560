/// Makes poppler read the dictionaries of pages some hundred at a time: it keeps them as long as the document, and
/// between the pieces that rendering takes and gives back each would hold a gap open that nothing fits into.
struct PageLoading {
  private let renderer: PopplerRenderer
  private let count: Int
  private var loaded = 0
  /// Messages of poppler about pages that are still to be checked.
  private var lines: [Int: [String]] = [:]
  /// Pages that are read at a time.
  private static let share = 512
  /// Pages after which the memory of what was read of the file is given back.
  private static let releaseInterval = 32

  /// - Parameter count: pages to be checked.
  init(_ renderer: PopplerRenderer, count: Int) {
    self.renderer = renderer
    self.count = min(count, renderer.pageCount)
  }

  /// Has a page read, those before it and some that follow; what poppler says about a page is heard when it is asked
  /// for.
  ///
  /// - Parameter index: from 0.
  mutating func load(_ index: Int) {
    if index >= loaded {
      let before = LogCapture.takeLines()
      for page in loaded..<min(count, index + Self.share) {
        _ = renderer.page(page)
        let said = LogCapture.takeLines()
        if !said.isEmpty { lines[page] = said }
        if page % Self.releaseInterval == 0 { renderer.release() }
      }
      loaded = max(loaded, min(count, index + Self.share))
      for line in before { LogCapture.hear(line) }
    }
    for line in lines.removeValue(forKey: index) ?? [] { LogCapture.hear(line) }
  }
}
