import ImageCore
import PictureTraits
import Scheduling

/// Measures one picture's traits on a worker.
final class TraitsWork: Work {
  /// The values that all measurements of one call of `PixelFacts.traits` share.
  struct Shared: Sendable {
    let environment: Environment
    let scheduler: Scheduler
    let cancellation: CancellationToken
    let memoryLimit: Int
    /// The number of workers that may share a picture.
    let parallelism: Int
    let cache: TraitsCache?
  }

  private let picture: Picture
  private let shared: Shared
  /// The name of the picture's entry in the cache; nil if it has none.
  private let key: String?
  /// The predicted memory use of the measurement, in bytes.
  let byteCount: Int
  /// The outcome; nil until the work has ended, and if it was cancelled. The work's only step writes the outcome;
  /// readers wait for the end of that step.
  private(set) nonisolated(unsafe) var outcome: Result<PictureTraits, Picture.Problem>?

  init(_ picture: Picture, key: String?, _ shared: Shared) {
    self.picture = picture
    self.key = key
    self.shared = shared
    byteCount = (try? Self.plan(picture, shared).byteCount) ?? 0
  }

  var isCancelled: Bool { shared.cancellation.isCancelled }
  var isDivided: Bool { false }
  var name: String { "traits of \(picture.origin?.name ?? "a picture")" }
  var isInputReady: Bool { SourceBytes.areInMemory(of: [picture]) }
  func fetchInput() { SourceBytes.readAhead(of: [picture]) { self.isCancelled } }

  func step() -> WorkStep {
    outcome = Result { () throws(Picture.Problem) in try self.measured() }
    if let cache = shared.cache, let key, case .success(let traits)? = outcome, cache.key(of: picture) == key {
      cache.keep(traits, key)
    }
    return .finished
  }

  private func measured() throws(Picture.Problem) -> PictureTraits {
    let (picture, shared) = (picture, shared)
    return try withStack(forDepth: picture.depth) { () throws(Picture.Problem) in
      // The plan is made again here, because the plans of thousands of waiting pictures would take much memory.
      let plan = try Self.plan(picture, shared)
      guard plan.byteCount <= shared.memoryLimit else {
        throw Self.problem(picture, "needs about \(PlanText.megabytes(plan.byteCount)) MB of memory to be measured")
      }
      let (token, scheduler) = (shared.cancellation, shared.scheduler)
      let context = OperationContext(
        parallelism: shared.parallelism,
        parallelFor: { count, body in scheduler.parallelFor(count, qos: .userInitiated, body) },
        isCancelled: { token.isCancelled }, allowPreemption: { scheduler.allowPreemption($0) },
        colours: shared.environment.colours)
      do throws(DirectPicture.Failure) {
        return try plan.picture.read(context) { rows throws(PictureError) in
          try shared.environment.measureTraits(rows, context)
        }
      } catch {
        throw Self.problem(picture, error.error.description, error.step?.advice(after: error.error))
      }
    }
  }

  private static func problem(_ picture: Picture, _ message: String, _ advice: Diagnostic.Advice? = nil)
    -> Picture.Problem
  {
    var problem = Diagnostic(.input, at: picture.position, file: picture.origin?.path, message: message)
    problem.advice = advice
    return .diagnostic(problem)
  }

  /// Returns the small version of a picture, and the memory in bytes for measuring it.
  private static func plan(_ picture: Picture, _ shared: Shared)
    throws(Picture.Problem) -> (picture: DirectPicture, byteCount: Int)
  {
    let environment = shared.environment
    let small = try DirectPicture(
      environment.inSRGB(try environment.reduced(picture, to: PictureTraits.side, coarsely: true)), environment)
    let layout = small.layout
    // The measurements need about 12 bytes per pixel.
    return (small, small.byteCount + PixelBuffer.byteCount(layout) + 12 * layout.width * layout.height)
  }
}
