/// Collects what is made from one source picture into one task.
final class TaskBuilder {
  private var files: [FileOutput] = []
  private var pages: [PageOutput] = []
  private var copies: [PageOutput] = []

  func add(_ file: FileOutput) {
    // Most pictures have one file: room for more would be wasted thousands of times.
    if files.isEmpty { files = [file] } else { files.append(file) }
  }

  /// A page that is a file's own bytes needs no rows.
  func add(_ page: PageOutput) {
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
