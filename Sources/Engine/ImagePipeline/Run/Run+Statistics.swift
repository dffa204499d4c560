import ImageCore
import Scheduling

/// Pixels for the script.
extension Run {
  /// Decodes a picture now and returns numbers about its pixels.
  public func statistics(of picture: Picture) throws(Picture.Problem) -> [(String, ParameterValue)] {
    try withStack(forDepth: picture.depth) { () throws(Picture.Problem) in
      try self.statisticsHere(picture)
    }
  }

  private func statisticsHere(_ picture: Picture) throws(Picture.Problem) -> [(String, ParameterValue)] {
    let picture = equalPictures.representative(of: picture)
    if let known = knownStatistics.first(where: { $0.picture === picture }) { return known.numbers }
    var planner = Planner(orient: environment.orient, sharedFrames: [:], keptFrames: results.frames, ends: [picture])
    let node = try planner.plan(picture)
    let scheduler = scheduler
    let token = cancellation
    let context = OperationContext(
      parallelism: scheduler.configuration.workers,
      parallelFor: { count, body in
        scheduler.parallelFor(count, qos: .userInitiated, body)
      }, isCancelled: { token.isCancelled })
    let chain = RowChain(consumers: planner.consumers, context: context)
    do throws(PictureError) {
      let numbers = try environment.statistics(try chain.open(node), context)
      knownStatistics.append((picture, numbers))
      if knownStatistics.count > 16 { knownStatistics.removeFirst() }
      return numbers
    } catch {
      throw .diagnostic(
        Diagnostic(
          .input, at: picture.position, subject: "stats", file: picture.origin?.path,
          message: error.description))
    }
  }
}
