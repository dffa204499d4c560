/// Collects what is made from one source picture into one task.
final class TaskBuilder {
  private(set) var files: [FileOutput] = []
  private var pages: [DocumentEntry] = []
  private var copies: [DocumentEntry] = []

  func add(_ file: FileOutput) {
    // Most pictures have one file: room for more would be wasted thousands of times.
    if files.isEmpty { files = [file] } else { files.append(file) }
  }

  /// A page that is a file's own bytes needs no rows.
  func add(_ page: DocumentEntry) {
    if page.copiesSource != nil {
      if copies.isEmpty { copies = [page] } else { copies.append(page) }
    } else {
      if pages.isEmpty { pages = [page] } else { pages.append(page) }
    }
  }

  /// The most such pages that are put together: few enough for every worker to have some.
  private static let mostCopies = 8

  /// Puts neighbours together whose pages are small files' own bytes: a task and its places in lists take more
  /// memory and time than such a page.
  static func joined(_ builders: [TaskBuilder], workers: Int) -> [TaskBuilder] {
    let most = min(mostCopies, builders.count / (4 * workers))
    var result: [TaskBuilder] = []
    for builder in builders {
      if let last = result.last, last.copies.count < most, last.canTake(builder) {
        last.copies += builder.copies
      } else {
        result.append(builder)
      }
    }
    return result
  }

  private func canTake(_ other: TaskBuilder) -> Bool {
    hasOnlySmallCopies && other.hasOnlySmallCopies && copies[0].document === other.copies[0].document
  }

  private var hasOnlySmallCopies: Bool {
    files.isEmpty && pages.isEmpty
      && copies.allSatisfy { $0.copiesSource?.wasReadWhole ?? false }
  }

  /// - Parameter parallelism: how many workers may share a strip.
  func task(parallelism: Int, _ shared: PictureTask.Shared) -> PictureTask {
    PictureTask(files: files, pages: pages, copies: copies, parallelism: parallelism, shared)
  }
}

/// The facts by which work is divided among shards.
extension TaskBuilder {
  var allPages: [DocumentEntry] { pages + copies }
  private var pictures: [Picture] { files.map(\.picture) + allPages.map(\.picture) }

  /// Files of several pictures that one program has to write.
  var undividedDocuments: [any Document] {
    allPages.map(\.document).filter { !$0.isDivisible }
  }

  /// The predicted processor time.
  var nanoseconds: Int {
    guard let first = pictures.first else { return 0 }
    var seen: Set<ObjectIdentifier> = []
    let ends = pictures.filter { seen.insert(ObjectIdentifier($0)).inserted }
    let decodes = !files.isEmpty || !pages.isEmpty
    return (decodes ? WorkEstimate.source(first.root, for: ends) : 0)
      + ends.reduce(0) { $0 + WorkEstimate.operations(of: $1) }
      + files.reduce(0) { $0 + WorkEstimate.encoding($1) }
      + allPages.reduce(0) { $0 + WorkEstimate.encoding($1) }
  }

  /// A name for each output: the file's path, or the document and the place in it.
  var outputNames: [String] { files.map(\.path) + allPages.map { $0.document.title(of: $0) } }
  var fileCount: Int { files.count }
  var pageCount: Int { allPages.count { $0.document.isDivisible } }
  /// The number of source pictures.
  var pictureCount: Int { files.isEmpty && pages.isEmpty ? PictureTask.pictureCount(copies[...]) : 1 }
  /// The name of the picture that everything is made of.
  var sourceName: String { pictures.first?.origin?.name ?? "canvas" }

  /// The paths of all files that are read.
  var inputPaths: [String] { pictures.flatMap { $0.sources.files.map(\.path) } }

  /// Leaves the outputs to another shard.
  func leave(_ run: RunProgress) {
    for file in files { run.leave(file.job, file.index) }
    for page in allPages { page.document.leave(page, run) }
  }
}
