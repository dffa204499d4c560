/// The results of checking a document so far.
struct Outcome: Sendable {
  var faults: [Fault] = []
  var pages: [PageResult] = []
  var fonts: [FontReport] = []
  var expectedPageCount: Int?
  var missingPages: [MissingPage] = []
  /// Whether there are expectations of the document.
  var isWritten = false
  /// Whether the document was encrypted, so that the checks read qpdf's decrypted copy.
  var isDecrypted = false

  /// Adds the faults of wrong stream lengths that are not yet reported, up to `ObjectSweep.maximum`.
  mutating func add(_ lengths: [Int: Fault]) {
    let reported = Set(
      (faults + pages.flatMap(\.faults)).compactMap { fault in
        if case .table(.streamLength(let object, _, _)) = fault { object } else { nil }
      })
    faults += lengths.sorted { $0.key < $1.key }.filter { !reported.contains($0.key) }
      .prefix(ObjectSweep.maximum).map(\.value)
  }

  func report(_ path: String) -> VerificationReport {
    // The writer's expectations and the caller's requirements may overlap, so equal findings about the document are
    // reported once.
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
  /// Returns the part of the page that a fault concerns: the pixels that differ, or else the whole picture.
  fileprivate func area(of fault: Fault) -> PageShare? {
    guard let visible, let box = fault.area ?? fault.picture.flatMap({ areas[$0] }) else { return nil }
    return PageShare(box, of: visible)
  }
}

/// Limits the number of poppler's messages: a single missing object can cause dozens.
struct PopplerLimit {
  /// The number of omitted messages.
  private(set) var omitted = 0
  private var left = 8

  /// Returns the faults of a page or of the document. Of poppler's messages, the first eight of all calls together are
  /// kept; later, a message is kept only if it is more severe than the other faults that its call keeps.
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
  fileprivate var isPoppler: Bool {
    switch self {
    case .poppler(.message), .poppler(.error): true
    default: false
    }
  }
}
