/// Collects what is made from one source picture into one task.
final class TaskBuilder {
  private var files: [FileOutput] = []
  private var pages: [PageOutput] = []
  private var copies: [PageOutput] = []

  func add(_ file: FileOutput) {
    // Of most pictures one file is made: room for more would be wasted thousands of times.
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

  /// - Parameter parallelism: how many workers may share a strip.
  func task(parallelism: Int, _ shared: PictureTask.Shared) -> PictureTask {
    PictureTask(files: files, pages: pages, copies: copies, parallelism: parallelism, shared)
  }
}
