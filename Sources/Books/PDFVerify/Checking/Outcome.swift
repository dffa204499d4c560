/// The results of checking a document, as far as it has come.
struct Outcome: Sendable {
  var faults: [Fault] = []
  var pages: [PageResult] = []
  var fonts: [FontReport] = []
  var expectedPageCount: Int?
  var missingPages: [MissingPage] = []
  /// Whether something says what the document was written as.
  var isWritten = false
  /// Whether the document was encrypted, and the copy that qpdf decrypted was checked.
  var isDecrypted = false

  /// Adds wrong lengths of streams, except those that pages have reported.
  mutating func add(_ lengths: [Int: Fault]) {
    let reported = Set(
      (faults + pages.flatMap(\.faults)).compactMap { fault in
        if case .table(.streamLength(let object, _, _)) = fault { object } else { nil }
      })
    faults += lengths.sorted { $0.key < $1.key }.filter { !reported.contains($0.key) }
      .prefix(ObjectSweep.maximum).map(\.value)
  }

  func report(_ path: String) -> VerificationReport {
    // The writer and the caller may want the same thing, which is reported once.
    var seen: Set<Finding> = []
    var limit = PopplerLimit()
    let own = limit.kept(isWritten ? faults.map { $0.asWritten() } : faults)
    var findings = own.map { Finding($0, page: nil) }.filter { seen.insert($0).inserted }
    for page in pages {
      let names = page.report.pictures.map { $0.name.isEmpty ? $0.source ?? "" : $0.name }
      findings += limit.kept(page.faults).map {
        Finding($0, page: page.report.number, names: names, area: page.area(of: $0))
      }
    }
    if limit.omitted > 0 { findings.append(Finding(.poppler(.more(limit.omitted)), page: nil)) }
    var thumbnails = Thumbnails()
    for page in pages { thumbnails.pictures[page.report.number] = page.thumbnail }
    let isUnreadable = faults.contains {
      if case .file(.unreadable) = $0 { true } else { false }
    }
    return VerificationReport(
      path: path, pages: pages.map(\.report), findings: findings, isSealed: isWritten, isUnreadable: isUnreadable,
      fonts: fonts, expectedPageCount: expectedPageCount, missingPages: missingPages, thumbnails: thumbnails)
  }
}

extension PageResult {
  /// Returns the part of the page that a fault is about: pixels that differ, or else the whole picture.
  fileprivate func area(of fault: Fault) -> PageShare? {
    guard let visible, let box = fault.area ?? fault.picture.flatMap({ areas[$0] }) else { return nil }
    return PageShare(box, of: visible)
  }
}

/// Keeps poppler's own lines few: of one thing that is missing it has dozens.
struct PopplerLimit {
  /// How many were left out.
  private(set) var omitted = 0
  private var left = 8

  /// The faults of a page, or of the document, without poppler's beyond the first few of all; where nothing else
  /// is as bad as one that is left out, one such stays.
  mutating func kept(_ faults: [Fault]) -> [Fault] {
    var told = Set(faults.filter { !$0.isPoppler }.map(\.severity))
    return faults.filter { fault in
      guard fault.isPoppler else { return true }
      if left == 0, told.contains(fault.severity) || told.contains(.error) {
        omitted += 1
        return false
      }
      left = max(0, left - 1)
      told.insert(fault.severity)
      return true
    }
  }
}

extension Fault {
  /// Whether these are poppler's words.
  fileprivate var isPoppler: Bool {
    switch self {
    case .poppler(.message), .poppler(.error): true
    default: false
    }
  }
}
