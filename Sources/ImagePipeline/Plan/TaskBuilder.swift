import ImageCore
import Scheduling

/// Collects what is made from one source picture into one task.
final class TaskBuilder {
  private let orient: @Sendable (Orientation) -> any PictureOperation
  private let sharedFrames: [ObjectIdentifier: SharedFrame]
  private var ends: [PictureTask.End] = []
  private var copies: [PageOutput] = []
  private var places: [ObjectIdentifier: Int] = [:]

  init(
    orient: @escaping @Sendable (Orientation) -> any PictureOperation,
    sharedFrames: [ObjectIdentifier: SharedFrame]
  ) {
    self.orient = orient
    self.sharedFrames = sharedFrames
  }

  func add(_ file: FileOutput) { ends[place(of: file.picture)].files.append(file) }

  /// A page that is a file's own bytes needs no rows.
  func add(_ page: PageOutput) {
    if page.copiesSource == nil {
      ends[place(of: page.picture)].pages.append(page)
    } else {
      copies.append(page)
    }
  }

  /// Outputs of one picture share its rows.
  private func place(of picture: Picture) -> Int {
    let key = ObjectIdentifier(picture)
    if let place = places[key] { return place }
    ends.append(PictureTask.End(picture: picture))
    places[key] = ends.count - 1
    return ends.count - 1
  }

  func task(run: RunProgress, scheduler: Scheduler) -> PictureTask {
    PictureTask(
      ends: ends, copies: copies, orient: orient, sharedFrames: sharedFrames, run: run,
      scheduler: scheduler)
  }
}
