import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Reporting
import Scheduling

/// The outputs and documents of a run for its report page, with thumbnails of the first ones.
struct ReportOutputs {
  /// The maximum number of pages with thumbnails, for one document and for all documents together.
  private static let mostPages = 24
  private static let mostPagesOfAll = 60
  private static let mostDocuments = 20

  private var outputs: [ReportFacts.Output] = []
  private var outputCount = 0
  private var documents: [ReportFacts.Document] = []
  private var documentCount = 0
  private var problem: String?

  init(_ run: Run, _ log: ReportLog.State) {
    for job in run.jobs where job.kind != .verify {
      for output in job.result.outputs {
        if job.kind == .book {
          add(output, of: job)
        } else {
          outputCount += 1
          if outputs.count < ReportLog.mostOutputs { outputs.append(Self.output(output, of: job, log)) }
        }
      }
    }
    addProofs(run)
  }

  /// Collects the outputs that are already written, for a run that ends early.
  init(_ log: ReportLog.State) {
    outputs = log.order.prefix(ReportLog.mostOutputs).map { path in
      var output = ReportFacts.Output(path: path, state: .written(byteCount: log.written[path]?.byteCount ?? 0))
      output.layout = log.written[path]?.layout
      return output
    }
    outputCount = log.totals.written
  }

  private static func output(_ output: Job.Output, of job: Job, _ log: ReportLog.State) -> ReportFacts.Output {
    let state: ReportFacts.Output.State =
      output.byteCount.map { .written(byteCount: $0) } ?? (output.failure == nil ? .cancelled : .failed)
    var shown = ReportFacts.Output(path: output.path, state: state)
    shown.kind = job.kind.rawValue
    shown.position = job.position
    shown.layout = log.written[output.path]?.layout
    shown.quality = log.written[output.path]?.quality
    return shown
  }

  private mutating func add(_ output: Job.Output, of job: Job) {
    guard output.byteCount != nil else { return }
    documentCount += 1
    guard documents.count < Self.mostDocuments else { return }
    let result = job.result
    var document = ReportFacts.Document(path: output.path, pageCount: result.pages)
    document.position = job.position
    document.byteCount = output.byteCount
    if let proof = result.verification {
      document.proof = proof.isVerified ? .verified : .wrong
      document.summary = proof.summary
      document.findings = proof.output
      Self.put(proof.findings, into: &document)
    } else {
      document.pages = Self.pages(result.pages, [])
    }
    documents.append(document)
  }

  /// Returns the pages to show, at most `mostPages`: those with findings, and then the first of the others.
  private static func pages(_ count: Int, _ marks: [DocumentReport.Finding]) -> [ReportFacts.Document.Page] {
    let marked = Dictionary(grouping: marks.filter { $0.page != nil }) { $0.page! }
    let wrong = marked.keys.filter { (1...max(1, count)).contains($0) }.sorted().prefix(mostPages)
    let rest = (1...max(1, count)).lazy.filter { marked[$0] == nil }.prefix(mostPages - wrong.count)
    guard count > 0 else { return [] }
    return (Array(wrong) + rest).sorted().map { number in
      var page = ReportFacts.Document.Page(number: number)
      page.marks = marked[number] ?? []
      return page
    }
  }

  /// Adds the findings of `img.verify`.
  private mutating func addProofs(_ run: Run) {
    for report in run.results.documentReports {
      let marks = report.findings.filter { $0.severity != "note" }
      if let index = documents.firstIndex(where: { $0.path == report.path }) {
        guard documents[index].proof != .wrong else { continue }
        Self.put(report, marks, into: &documents[index])
        continue
      }
      documentCount += 1
      guard documents.count < Self.mostDocuments else { continue }
      var document = ReportFacts.Document(path: report.path, pageCount: report.pages.count)
      Self.put(report, marks, into: &document)
      documents.append(document)
    }
  }

  private static func put(
    _ report: DocumentReport, _ marks: [DocumentReport.Finding], into document: inout ReportFacts.Document
  ) {
    document.proof = !report.isSound ? .wrong : report.isSealed ? .verified : .sound
    document.summary = report.isSound ? report.reasonUnsealed ?? "" : ""
    document.findings = []
    put(marks, into: &document)
  }

  /// Adds findings: those about a shown page to that page, all others to the document.
  private static func put(_ marks: [DocumentReport.Finding], into document: inout ReportFacts.Document) {
    document.pages = pages(document.pageCount, marks)
    let shown = Set(document.pages.map(\.number))
    document.findings += marks.filter { $0.page.map { !shown.contains($0) } ?? true }.map(\.line)
  }

  // MARK: - pictures

  /// Makes thumbnails of the pages and outputs that are shown.
  ///
  /// - Parameter seconds: the time limit, after which the remaining thumbnails are left out; nil for the default.
  mutating func makePictures(_ line: ParsedLine, seconds: Double? = nil, isCancelled: () -> Bool = { false }) {
    var requests: [ReportPictures.Request] = []
    var pages: [(document: Int, page: Int)] = []
    for (index, document) in documents.enumerated() {
      // The contents of a pipe cannot be read again.
      guard OutputPipe(document.path) == nil else { continue }
      for (place, page) in document.pages.enumerated() where pages.count < Self.mostPagesOfAll {
        pages.append((index, place))
        requests.append(.init(path: document.path, page: page.number))
      }
    }
    var shown: [Int] = []
    for (index, output) in outputs.enumerated() where requests.count < ReportPictures.most {
      guard case .written = output.state, output.kind != Job.Kind.tiles.rawValue, OutputPipe(output.path) == nil
      else { continue }
      // In an unfinished run, only the layout distinguishes pictures from books and tiles.
      guard output.kind != nil || output.layout != nil else { continue }
      shown.append(index)
      requests.append(.init(path: output.path, hasAlpha: output.layout?.format.hasAlpha ?? false))
    }
    let pictures = ReportPictures(requests, line, seconds: seconds, isCancelled: isCancelled)
    problem = pictures.problem
    for (place, (document, page)) in pages.enumerated() {
      documents[document].pages[page].thumbnail = pictures.thumbnails[place]
    }
    for (place, index) in shown.enumerated() {
      outputs[index].thumbnail = pictures.thumbnails[pages.count + place]
    }
    // Pages without findings are only shown if they have thumbnails.
    for index in documents.indices {
      documents[index].pages.removeAll { $0.thumbnail == nil && $0.marks.isEmpty }
    }
  }

  func put(into facts: inout ReportFacts) {
    (facts.outputs, facts.outputCount) = (outputs, outputCount)
    (facts.documents, facts.documentCount) = (documents, documentCount)
    facts.thumbnailProblem = problem
  }
}
