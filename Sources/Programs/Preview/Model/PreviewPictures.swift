import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// The images of a preview: what is on screen first, then what comes next, then the rest. Used from any thread.
///
/// Requests for one image share its making. An image that nobody shows any more is not made.
final class PreviewPictures: Sendable {
  typealias Answer = @Sendable (Result<ScreenImage, ScreenFailure>) -> Void

  /// An image that is being made.
  private struct Flight {
    /// The picture or page that it shows.
    let key: String
    let cancellation: CancellationToken
    var qos: QualityOfService
    var item: WorkItem?
    var boost: Boost?
    var answers: [Answer]
    /// Whether a browser waits for it.
    var isAwaited: Bool
  }

  private struct State {
    var flights: [String: Flight] = [:]
    /// Images that were made ahead, by their keys, the oldest first.
    var ready: [(key: String, image: ScreenImage)] = []
    var readyByteCount = 0
  }

  private let model: PreviewModel
  private let renderer: ScreenRenderer
  private let scheduler: Scheduler
  private let state = Monitor(State())
  /// Encoded bytes that are kept for what the browser asks next.
  private static let readyLimit = 16 << 20

  init(_ model: PreviewModel, _ renderer: ScreenRenderer, on scheduler: Scheduler) {
    self.model = model
    self.renderer = renderer
    self.scheduler = scheduler
  }

  /// Makes an image of a picture or page, or joins the making of it.
  ///
  /// - Parameter answer: called once, on any thread.
  /// - Returns: False if no output has the key now; `answer` is not called then.
  func make(
    _ key: String, width: Int, height: Int, qos: QualityOfService, isAwaited: Bool = true, _ answer: @escaping Answer
  ) -> Bool {
    let target: ScreenTarget
    do throws(Picture.Problem) {
      guard let found = try model.target(key, width: width, height: height, renderer) else { return false }
      target = found
    } catch {
      answer(.failure(.failed(Self.diagnostic(error))))
      return true
    }
    let isNew = state.withLock { state -> (isNew: Bool, ready: ScreenImage?) in
      if let ready = state.ready.first(where: { $0.key == target.key }) { return (false, ready.image) }
      guard var flight = state.flights[target.key] else {
        state.flights[target.key] = Flight(
          key: key, cancellation: CancellationToken(), qos: qos, answers: [answer], isAwaited: isAwaited)
        return (true, nil)
      }
      flight.answers.append(answer)
      flight.isAwaited = flight.isAwaited || isAwaited
      if qos > flight.qos, let item = flight.item {
        flight.boost = scheduler.raise([item], to: qos)
        flight.qos = qos
      }
      state.flights[target.key] = flight
      return (false, nil)
    }
    if let ready = isNew.ready { answer(.success(ready)) }
    if isNew.isNew { start(target, qos) }
    return true
  }

  private func start(_ target: ScreenTarget, _ qos: QualityOfService) {
    guard let token = state.withLock({ $0.flights[target.key]?.cancellation }) else { return }
    let item = renderer.render(target, qos: qos, cancellation: token) { [self] result in land(target.key, result) }
    state.withLock { $0.flights[target.key]?.item = item }
  }

  private func land(_ key: String, _ result: Result<ScreenImage, ScreenFailure>) {
    let flight = state.withLock { state -> Flight? in
      if case .success(let image) = result, !state.ready.contains(where: { $0.key == key }) {
        state.ready.append((key, image))
        state.readyByteCount += image.bytes.count
        while state.readyByteCount > Self.readyLimit, state.ready.count > 1 {
          state.readyByteCount -= state.ready.removeFirst().image.bytes.count
        }
      }
      return state.flights.removeValue(forKey: key)
    }
    flight?.boost?.end()
    for answer in flight?.answers ?? [] { answer(result) }
  }

  /// Makes what is on screen and what comes next, and nothing else. Images that are made ahead of it and that a browser
  /// waits for go on.
  func look(at visible: [String], next: [String], width: Int, height: Int) {
    let wanted = Set(visible + next)
    cancel { !wanted.contains($0.key) && !$0.isAwaited }
    for key in visible { prepare(key, width, height, .userInitiated) }
    for key in next { prepare(key, width, height, .utility) }
    for key in model.keys.prefix(Self.mostAhead) where !wanted.contains(key) {
      prepare(key, width, height, .background)
    }
  }

  /// The most images that are made before anybody looks at them.
  private static let mostAhead = 100

  private func prepare(_ key: String, _ width: Int, _ height: Int, _ qos: QualityOfService) {
    let isFull = state.withLock { $0.readyByteCount > Self.readyLimit * 3 / 4 }
    guard qos > .background || !isFull else { return }
    _ = make(key, width: width, height: height, qos: qos, isAwaited: false) { _ in }
  }

  /// Stops the making of what no output shows any more.
  func forgetStale() { cancel { !model.shows($0.key) } }

  private func cancel(_ isStale: (Flight) -> Bool) {
    let stale = state.withLock { state in state.flights.values.filter(isStale) }
    for flight in stale { flight.cancellation.cancel() }
    if !stale.isEmpty { scheduler.sweepCancelled() }
  }

  private static func diagnostic(_ problem: Picture.Problem) -> Diagnostic {
    if case .diagnostic(let diagnostic) = problem { return diagnostic }
    return Diagnostic(.input, at: nil, message: "cannot be shown because of the mistakes above")
  }
}
