import Synchronization

/// Pages waiting to be checked, taken by one worker after another.
final class PageQueue: Sendable {
  private let records: [PageRecord]
  private let file: PDFFile
  private let mapping: FileMapping
  private let decodeJPEG: JPEGDecoding
  private let watchdog: Watchdog
  private let fonts: FontCatalog
  private let expectations: ExpectationCheck?
  private let next = Atomic(0)
  private let results: Mutex<[Int: PageChecker.Result]> = Mutex([:])

  init(
    _ records: [PageRecord], _ file: PDFFile, _ mapping: FileMapping,
    _ decodeJPEG: @escaping JPEGDecoding, _ watchdog: Watchdog,
    _ expectations: ExpectationCheck?
  ) {
    self.records = records
    self.file = file
    self.mapping = mapping
    self.decodeJPEG = decodeJPEG
    self.watchdog = watchdog
    fonts = FontCatalog(file)
    self.expectations = expectations
  }

  /// Checks all pages on as many threads and gives the results in page order.
  func run(jobs: Int) -> [PageChecker.Result] {
    let count = max(1, min(jobs, records.count))
    Threads.run((1...count).map { worker in { self.work(worker) } })
    return results.withLock { results in records.indices.map { results[$0] ?? unchecked($0) } }
  }

  private func unchecked(_ index: Int) -> PageChecker.Result {
    var result = PageChecker.Result(
      report: PageReport(number: index + 1, width: 0, height: 0, pictures: []))
    result.faults = [
      .popplerRefuses("it does not open a second time, and the page was not checked")
    ]
    return result
  }

  private func work(_ worker: Int) {
    watchdog.begin(0, worker: worker)
    defer { watchdog.end(worker: worker) }
    // It opened a moment ago; where it does not open again, the pages are left to the other workers.
    guard let renderer = try? PopplerRenderer(mapping) else { return }
    let checker = PageChecker(
      file: file, renderer: renderer, decodeJPEG: decodeJPEG, fonts: fonts,
      expectations: expectations)
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < records.count else { return }
      watchdog.begin(index + 1, worker: worker)
      let result = checker.check(records[index], index: index)
      results.withLock { $0[index] = result }
    }
  }
}
