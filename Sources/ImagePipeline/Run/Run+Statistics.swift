import ImageCore
import Scheduling

/// Pixels for the script.
extension Run {
  /// Numbers about a picture's pixels; decodes it now.
  public func statistics(of picture: Picture) throws(Diagnostic) -> [(String, ParameterValue)] {
    let node: PlanNode
    var planner = Planner(orient: environment.orient, sharedFrames: [:])
    do throws(Picture.Problem) {
      node = try planner.plan(picture)
    } catch {
      switch error {
      case .diagnostic(let diagnostic): throw diagnostic
      case .reported:
        throw Diagnostic(
          .script, at: picture.position, subject: "stats", message: "of a picture that is not valid"
        )
      }
    }
    let scheduler = scheduler
    let token = cancellation
    let context = OperationContext(
      parallelism: scheduler.configuration.workers,
      parallelFor: { count, body in
        scheduler.parallelFor(count, qos: .userInitiated, body)
      }, isCancelled: { token.isCancelled })
    let chain = RowChain(
      consumers: planner.consumers, orient: environment.orient, context: context)
    do throws(PictureError) {
      return try environment.statistics(try chain.open(node), context)
    } catch {
      throw Diagnostic(
        .input, at: picture.position, subject: "stats", file: picture.origin?.path,
        message: error.description)
    }
  }
}
