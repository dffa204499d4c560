import ImageCore

/// Runs all checks on a document whose structure can be read.
struct DocumentChecker {
  let input: InputFile
  let watchdog: Watchdog
  let onPage: @Sendable (_ done: Int, _ pages: Int) -> Void

  func run(_ document: DocumentContext, _ outcome: inout Outcome) throws(Fault) {
    defer { outcome.add(document.objects.lengths) }
    outcome.isWritten = document.isWritten
    for check in CheckList.document { outcome.faults += check.check(document) }
    guard !document.pages.isEmpty else { return }
    outcome.missingPages = document.alignment?.missing ?? []
    outcome.pages = try pages(of: document, &outcome.faults)
    outcome.expectedPageCount = document.expectations?.expected.pages.count ?? document.settings.requirements.pages
    outcome.fonts = FontCheck.reports(outcome.pages)
    for check in CheckList.result { outcome.faults += check.check(document, &outcome.pages) }
  }

  /// Renders and checks all pages.
  private func pages(of document: DocumentContext, _ faults: inout [Fault]) throws(Fault) -> [PageResult] {
    let mapping: FileMapping
    do {
      mapping = try ProfileRemoval.view(of: document.file, pages: document.pages, input: input)
    } catch {
      throw .file(.unreadable(error.description))
    }
    let renderer = try PopplerRenderer(mapping)
    let count = document.pages.count
    if renderer.pageCount != count {
      faults.append(.poppler(.pageCount(own: count, poppler: renderer.pageCount)))
    }
    let isWarm = warmUp(renderer, document)
    faults += LogCapture.take()
    watchdog.end(worker: 0)
    let queue = PageQueue(document.pages, watchdog, document.settings.limits, onPage: onPage) {
      (try? PopplerRenderer(mapping)).map { PageChecker(document: document, renderer: $0) }
    }
    return queue.run(jobs: isWarm ? document.settings.jobs : 1)
  }

  /// Renders a page and discards the result, so that poppler and its libraries set up shared fonts and colour tables
  /// before threads start.
  ///
  /// - Returns: false if none of the first pages is small enough and renderable.
  private func warmUp(_ renderer: PopplerRenderer, _ document: DocumentContext) -> Bool {
    let (file, limits) = (document.file, document.settings.limits)
    for (index, page) in document.pages.prefix(Self.fewPages).enumerated()
    where !watchdog.hasGivenUp {
      watchdog.begin(index + 1, worker: 0)
      let entries = page.entries(file)
      guard PageCost(entries, file, limits).bytes <= limits.bytes,
        PageContent(entries, visible: PageBox(left: 0, bottom: 0, right: 1, top: 1), file, known: { _ in false })
          .isRenderable
      else { continue }
      _ = renderer.page(index)?.render(left: 0, top: 0, scaleX: 0.1, scaleY: 0.1, width: 8, height: 8)
      return true
    }
    return false
  }
  private static let fewPages = 64
}
