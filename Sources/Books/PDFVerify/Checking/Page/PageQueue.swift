import Platform
import Synchronization

/// A queue of pages from which workers take the next page to check.
final class PageQueue: Sendable {
  /// Makes a worker's checker with a document of its own; nil if the document cannot be opened again.
  typealias Opening = @Sendable () -> PageChecker?

  /// The number of pages after which a worker releases the memory of the file. Pictures are released immediately.
  private static let releaseInterval = 8
  /// The number of pages from which releasing the heap's free memory pays off.
  private static let manyPages = 512

  private let records: [PageRecord]
  private let watchdog: Watchdog
  private let open: Opening
  private let onPage: @Sendable (_ done: Int, _ pages: Int) -> Void
  /// The numbers of pages taken: in total, from the start, and from the end.
  private let taken = Atomic(0)
  private let fromStart = Atomic(0)
  private let fromEnd = Atomic(0)
  private let done = Atomic(0)
  private let budget: PixelBudget

  /// Storage for results, allocated before the first page. If results were allocated page by page, small blocks between
  /// the temporary allocations of rendering would fragment the heap.
  private struct Kept {
    /// Results in page order, without their pictures.
    var results: [PageResult?]
    /// Each page's range in `pictures`.
    var ranges: [Range<Int>]
    var pictures: [PictureReport] = []

    init(_ count: Int) {
      results = Array(repeating: nil, count: count)
      ranges = Array(repeating: 0..<0, count: count)
      pictures.reserveCapacity(count)
    }

    mutating func add(_ result: PageResult, _ index: Int) {
      var result = result
      ranges[index] = pictures.count..<pictures.count + result.report.pictures.count
      pictures += result.report.pictures
      (result.report.pictures, result.places) = ([], [])
      results[index] = result
    }

    func result(_ index: Int) -> PageResult? {
      var result = results[index]
      result?.report.pictures = Array(pictures[ranges[index]])
      return result
    }
  }
  private let kept: Mutex<Kept>

  init(
    _ records: [PageRecord], _ watchdog: Watchdog, _ limits: MemoryLimits,
    onPage: @escaping @Sendable (_ done: Int, _ pages: Int) -> Void, open: @escaping Opening
  ) {
    self.records = records
    self.watchdog = watchdog
    budget = PixelBudget(limits)
    self.onPage = onPage
    self.open = open
    kept = Mutex(Kept(records.count))
  }

  /// Checks all pages on up to `jobs` threads and returns the results in page order.
  func run(jobs: Int) -> [PageResult] {
    let count = max(1, min(jobs, records.count))
    // Memory that a thread frees stays in the heap of that thread, where other threads cannot use it.
    if records.count > Self.manyPages { trimMemory() }
    runOnThreads((1...count).map { worker in { self.work(worker) } })
    if records.count > Self.manyPages { trimMemory() }
    return kept.withLock { kept in
      defer { kept = Kept(0) }
      return records.indices.map { kept.result($0) ?? unchecked($0) }
    }
  }

  private func unchecked(_ index: Int) -> PageResult {
    var result = PageResult(number: index + 1)
    result.faults = [
      .file(.failure("the page was not checked: the file cannot be opened again"))
    ]
    return result
  }

  /// Returns the next page for a worker; nil if none is left. Poppler keeps all pages up to the last one requested.
  /// Every other worker therefore starts at the end, so that the remaining workers need not load the whole book.
  private func next(_ worker: Int) -> Int? {
    guard taken.add(1, ordering: .relaxed).oldValue < records.count else { return nil }
    return worker % 2 == 1
      ? fromStart.add(1, ordering: .relaxed).oldValue
      : records.count - fromEnd.add(1, ordering: .relaxed).newValue
  }

  private func work(_ worker: Int) {
    watchdog.begin(0, worker: worker)
    defer { watchdog.end(worker: worker) }
    // An earlier thread with the same identifier may have left messages about another document.
    _ = LogCapture.take()
    defer { _ = LogCapture.take() }
    // If this worker cannot open the document again, the other workers take the pages.
    guard let checker = open() else { return }
    var pages = PageLoading(checker.renderer, count: records.count)
    var age = 0
    while true {
      guard let index = next(worker), !watchdog.hasGivenUp else { return }
      let cost = checker.cost(records[index])
      watchdog.end(worker: worker)
      guard let share = budget.take(cost, orGiveUp: { watchdog.hasGivenUp }) else { return }
      defer { budget.giveBack(share) }
      watchdog.begin(index + 1, worker: worker, megapixels: cost.megapixels.all)
      pages.load(index)
      let result = checker.check(records[index], index: index, cost)
      guard !watchdog.hasGivenUp else { return }
      kept.withLock { $0.add(result, index) }
      age += 1
      if age % Self.releaseInterval == 0 { checker.release() }
      onPage(done.add(1, ordering: .relaxed).newValue, records.count)
    }
  }
}

/// Makes poppler read the dictionaries of pages in groups of several hundred. Poppler keeps them for the lifetime of
/// the document. If they were read one by one, between the temporary allocations of rendering, they would fragment the
/// heap.
struct PageLoading {
  private let renderer: PopplerRenderer
  private let count: Int
  private var loaded = 0
  /// Poppler's messages about pages that are not checked yet, by the page's index.
  private var lines: [Int: [String]] = [:]
  /// The number of pages read at a time.
  private static let share = 512
  private static let releaseInterval = 32

  /// - Parameter count: the number of pages to be checked.
  init(_ renderer: PopplerRenderer, count: Int) {
    self.renderer = renderer
    self.count = min(count, renderer.pageCount)
  }

  /// Makes poppler read a page, all pages before it, and some after it. Poppler's messages about the other pages are
  /// kept until `load` is called for these pages.
  ///
  /// - Parameter index: the page's index, from 0.
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

/// Limits the memory that all threads together use for rendering, and the megapixels of the large pictures that they
/// render at one time.
private final class PixelBudget: Sendable {
  private let used = Mutex((megapixels: 0, bytes: 0))
  /// The memory for all pages that are checked at one time, and for any single page.
  private let limits: MemoryLimits
  /// The maximum number of megapixels of large pictures that are rendered at one time, which take half a gigabyte. A
  /// larger picture is rendered only while no other large picture is.
  private static let mostMegapixels = 128
  /// The number of megapixels from which a picture counts as large.
  private static let few = 32

  init(_ limits: MemoryLimits) { self.limits = limits }

  /// The part of the budget that a page has taken.
  struct Share {
    fileprivate let megapixels: Int
    fileprivate let bytes: Int
  }

  /// Waits until the page's share is available.
  ///
  /// - Returns: the share to give back; nil if `hasGivenUp` returned true before.
  func take(_ cost: PageCost, orGiveUp hasGivenUp: () -> Bool) -> Share? {
    // A page that exceeds the whole budget takes nothing, because it is not rendered.
    let bytes = cost.share(of: limits) ?? 0
    let largest = cost.megapixels.largest
    let share = Share(megapixels: largest >= Self.few && bytes > 0 ? largest : 0, bytes: bytes)
    while !hasGivenUp() {
      let isFree = used.withLock { used in
        let megapixels = used.megapixels + share.megapixels
        guard used.bytes + bytes <= limits.bytes,
          share.megapixels == 0 || used.megapixels == 0 || megapixels <= Self.mostMegapixels
        else { return false }
        used = (megapixels, used.bytes + bytes)
        return true
      }
      if isFree { return share }
      usleep(5_000)
    }
    return nil
  }

  func giveBack(_ share: Share) {
    used.withLock { $0 = ($0.megapixels - share.megapixels, $0.bytes - share.bytes) }
  }
}
