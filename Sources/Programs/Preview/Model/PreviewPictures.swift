import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// Renders the images of a preview: first those on the screen, then those that come next, then the others. Safe to use
/// from any thread.
///
/// Requests for the same image share one rendering. `look` cancels it if the image is not near the screen, and no
/// request waits for it any more.
final class PreviewPictures: Sendable {
  typealias Answer = @Sendable (Result<ScreenImage, ScreenFailure>) -> Void

  /// An image that is being rendered.
  private struct Flight {
    /// A number that distinguishes this rendering from later ones of the same image.
    let number: Int
    /// The key of the picture or page that the image shows.
    let key: String
    let cancellation = CancellationToken()
    var qos: QualityOfService
    var item: WorkItem?
    var boosts: [Boost] = []
    var answers: [Answer]
    /// Functions, one for each request, that return whether the requester still waits.
    var waits: [@Sendable () -> Bool]

    var isAwaited: Bool { waits.contains { $0() } }
  }

  private struct State {
    var flights: [String: Flight] = [:]
    var lastNumber = 0
    /// Finished images with their keys and with the keys of the pictures or pages that they show, the oldest first.
    var ready: [(key: String, shown: String, image: ScreenImage)] = []
    var readyByteCount = 0
    /// The keys of pictures and pages to render when there is nothing else to do, in reverse order, and the size to
    /// render them at.
    var ahead: [String] = []
    var size = (width: 0, height: 0)
  }

  private let model: PreviewModel
  private let renderer: ScreenRenderer
  private let scheduler: Scheduler
  private let state = Monitor(State())
  /// The maximum size in bytes of the images that are kept for later requests.
  private static let readyLimit = 24 << 20

  init(_ model: PreviewModel, _ renderer: ScreenRenderer, on scheduler: Scheduler) {
    self.model = model
    self.renderer = renderer
    self.scheduler = scheduler
  }

  /// Provides an image of a picture or page: one that was kept from an earlier request, or else the result of a
  /// rendering, which is started unless it is already in progress.
  ///
  /// - Parameters:
  ///   - waits: returns whether anybody still waits for the image; called until the answer.
  ///   - answer: called once, on any thread.
  /// - Returns: false, without calling `answer`, if no output has this key any more.
  func make(
    _ key: String, width: Int, height: Int, qos: QualityOfService, waits: @escaping @Sendable () -> Bool,
    _ answer: @escaping Answer
  ) -> Bool {
    let target: ScreenTarget
    do throws(Picture.Problem) {
      guard let found = try model.target(key, width: width, height: height, renderer) else { return false }
      target = found
    } catch {
      answer(.failure(.failed(Self.diagnostic(error))))
      return true
    }
    let (number, ready) = state.withLock { state -> (Int?, ScreenImage?) in
      if let ready = state.ready.first(where: { $0.key == target.key }) { return (nil, ready.image) }
      if state.flights[target.key] != nil {
        state.flights[target.key]?.answers.append(answer)
        state.flights[target.key]?.waits.append(waits)
        raise(target.key, to: qos, &state)
        return (nil, nil)
      }
      state.lastNumber += 1
      state.flights[target.key] = Flight(
        number: state.lastNumber, key: key, qos: qos, answers: [answer], waits: [waits])
      return (state.lastNumber, nil)
    }
    if let ready { answer(.success(ready)) }
    if let number { start(target, number, qos) }
    return true
  }

  /// Raises the priority of an image that a more urgent request waits for, too.
  private func raise(_ key: String, to qos: QualityOfService, _ state: inout State) {
    guard var flight = state.flights[key], qos > flight.qos else { return }
    flight.qos = qos
    if let item = flight.item { flight.boosts.append(scheduler.raise([item], to: qos)) }
    state.flights[key] = flight
  }

  private func start(_ target: ScreenTarget, _ number: Int, _ qos: QualityOfService) {
    guard let flight = state.withLock({ $0.flights[target.key] }), flight.number == number else { return }
    let item = renderer.render(target, qos: qos, cancellation: flight.cancellation) { [self] result in
      land(target.key, number, result)
    }
    state.withLock { state in
      guard let item, var flight = state.flights[target.key], flight.number == number else { return }
      flight.item = item
      // A more urgent request arrived before the item was known.
      if flight.qos > qos { flight.boosts.append(scheduler.raise([item], to: flight.qos)) }
      state.flights[target.key] = flight
    }
  }

  private func land(_ key: String, _ number: Int, _ result: Result<ScreenImage, ScreenFailure>) {
    let flight = state.withLock { state -> Flight? in
      if case .success(let image) = result, let flight = state.flights[key], flight.number == number,
        !state.ready.contains(where: { $0.key == key })
      {
        state.ready.append((key, flight.key, image))
        state.readyByteCount += image.byteCount
        while state.readyByteCount > Self.readyLimit, state.ready.count > 1 {
          state.readyByteCount -= state.ready.removeFirst().image.byteCount
        }
      }
      // A cancelled rendering has already been answered, and another one may be in progress.
      return state.flights[key]?.number == number ? state.flights.removeValue(forKey: key) : nil
    }
    flight?.boosts.forEach { $0.end() }
    for answer in flight?.answers ?? [] { answer(result) }
    prepareAhead()
  }

  /// Renders the images on the screen and those that come next, and cancels all others that no browser waits for.
  func look(at visible: [String], next: [String], width: Int, height: Int) {
    let wanted = Set(visible + next)
    cancel { !wanted.contains($0.key) && !$0.isAwaited }
    for key in visible { prepare(key, width, height, .userInitiated) }
    for key in next { prepare(key, width, height, .utility) }
    let ahead = model.keys.prefix(Self.mostAhead).filter { !wanted.contains($0) }
    state.withLock { state in
      state.ahead = ahead.reversed()
      state.size = (width, height)
    }
    prepareAhead()
  }

  private static let mostAhead = 100

  /// Starts to render the next image in advance if there is nothing else to do. Otherwise even planning it would delay
  /// urgent requests.
  private func prepareAhead() {
    while true {
      let next = state.withLock { state -> (key: String, width: Int, height: Int)? in
        guard state.flights.isEmpty, state.readyByteCount <= Self.readyLimit * 3 / 4 else { return nil }
        return state.ahead.popLast().map { ($0, state.size.width, state.size.height) }
      }
      guard let next else { return }
      prepare(next.key, next.width, next.height, .background)
    }
  }

  private func prepare(_ key: String, _ width: Int, _ height: Int, _ qos: QualityOfService) {
    _ = make(key, width: width, height: height, qos: qos, waits: { false }) { _ in }
  }

  /// Cancels the rendering of pictures that no output shows any more, and removes their images.
  func forgetStale() {
    cancel { !model.shows($0.key) }
    state.withLock { state in
      state.ahead = []
      state.ready.removeAll { !model.shows($0.shown) }
      state.readyByteCount = state.ready.reduce(0) { $0 + $1.image.byteCount }
    }
  }

  /// Cancels renderings, and answers their requests. The same image may be requested again at once.
  private func cancel(_ isStale: (Flight) -> Bool) {
    let stale = state.withLock { state in
      let keys = state.flights.filter { isStale($0.value) }.keys
      return keys.compactMap { state.flights.removeValue(forKey: $0) }
    }
    for flight in stale {
      flight.cancellation.cancel()
      flight.boosts.forEach { $0.end() }
      for answer in flight.answers { answer(.failure(.cancelled)) }
    }
    if !stale.isEmpty { scheduler.sweepCancelled() }
  }

  private static func diagnostic(_ problem: Picture.Problem) -> Diagnostic {
    if case .diagnostic(let diagnostic) = problem { return diagnostic }
    return Diagnostic(.input, at: nil, message: "cannot be shown because of the mistakes above")
  }
}
