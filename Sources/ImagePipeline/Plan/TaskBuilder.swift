import ImageCore
import Scheduling

/// Collects what is made from one source picture into one task.
final class TaskBuilder {
  private var planner: Planner
  private var terminals: [PictureTask.Terminal] = []
  private var copies: [PageOutput] = []
  private var places: [ObjectIdentifier: Int] = [:]

  init(
    orient: @escaping @Sendable (Orientation) -> any PictureOperation,
    sharedFrames: [ObjectIdentifier: SharedFrame]
  ) {
    planner = Planner(orient: orient, sharedFrames: sharedFrames)
  }

  func add(_ file: FileOutput) { terminals[place(of: file.picture)].files.append(file) }

  /// A page that is a file's own bytes needs no rows.
  func add(_ page: PageOutput) {
    if page.copiesSource == nil {
      terminals[place(of: page.picture)].pages.append(page)
    } else {
      copies.append(page)
    }
  }

  /// Outputs of one picture share its rows.
  private func place(of picture: Picture) -> Int {
    let key = ObjectIdentifier(picture)
    if let place = places[key] { return place }
    guard let node = try? planner.plan(picture) else {
      preconditionFailure("a picture that was checked could not be planned")
    }
    terminals.append(PictureTask.Terminal(node: node))
    places[key] = terminals.count - 1
    return terminals.count - 1
  }

  func task(run: RunProgress, scheduler: Scheduler) -> PictureTask {
    PictureTask(
      terminals: terminals, copies: copies, consumers: planner.consumers, run: run,
      scheduler: scheduler)
  }
}
