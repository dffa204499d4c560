import CEmbeddedFiles
import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// Answers the requests of the page.
final class PreviewRoutes: Sendable {
  private let address: PreviewAddress
  private let model: PreviewModel
  private let pictures: PreviewPictures
  private let run: WholeRun
  private let audience: Audience
  private let instance = String(getpid())
  /// Called with changed settings; a value of nil resets a setting. This property and `settings` are
  /// `nonisolated(unsafe)`, because both are written once, before the server starts.
  nonisolated(unsafe) var onSettings: @Sendable ([(name: String, value: String?)]) -> Void = { _ in }
  nonisolated(unsafe) var settings: @Sendable () -> [String: String] = { [:] }

  init(
    _ address: PreviewAddress, _ model: PreviewModel, _ pictures: PreviewPictures, _ run: WholeRun,
    _ audience: Audience
  ) {
    self.address = address
    self.model = model
    self.pictures = pictures
    self.run = run
    self.audience = audience
  }

  /// Answers one request, at once or when its image is rendered.
  func answer(_ request: WebRequest) {
    guard isOurs(request) else { return request.answer(403, "this address is not for you") }
    guard request.isKnown else { return answerStranger(request) }
    let parts = request.path.dropFirst(address.root.count).split(separator: "/", omittingEmptySubsequences: false)
    let (name, key) = (String(parts.first ?? ""), parts.count == 2 ? String(parts[1]) : "")
    switch (request.method, name) {
    case ("GET", "picture"): picture(request, key)
    case ("GET", "pixel"): pixel(request, key)
    case ("GET", "histogram"): histogram(request, key)
    case ("GET", "graph"):
      if let graph = model.graph(key) { request.answer(json: graph) } else { request.answer(404, "stale") }
    case ("GET", "state"):
      request.answer(200, "application/json", stateText, headers: [("Cache-Control", "no-store")])
    case ("GET", "events"): audience.add(request.stream(), "hello", .object([("instance", .text(instance))]))
    case ("GET", "timeline.svg"): timeline(request)
    case ("GET", _): file(request, name)
    case ("POST", _):
      // A form on another web page cannot send this header.
      guard request.header("X-Imghost") == "preview" else { return request.answer(403, "this address is not for you") }
      post(request, name)
    default: request.answer(405, "only GET and POST are known")
    }
  }

  /// Answers a request without the token. A page that has lost its connection asks for a proof that this program knows
  /// the token, before it sends the token to the port again.
  private func answerStranger(_ request: WebRequest) {
    guard request.method == "GET", request.path == "/proof", let nonce = request.argument("nonce"),
      (16...128).contains(nonce.utf8.count)
    else { return request.answer(404, "there is nothing here") }
    request.answer(json: .object([("program", .text("imghost preview")), ("proof", .text(address.proof(of: nonce)))]))
  }

  /// Returns whether a request comes from the page itself: it is addressed to a host name of this machine, and no other
  /// page has sent it.
  private func isOurs(_ request: WebRequest) -> Bool {
    let hosts = ["127.0.0.1:\(address.port)", "localhost:\(address.port)"]
    guard let host = request.header("Host"), hosts.contains(host) else { return false }
    guard let origin = request.header("Origin") else { return true }
    return hosts.contains { origin == "http://" + $0 }
  }

  /// The state of the page as JSON: that of the model, whether a run is in progress, and whether there is a timeline of
  /// the last run.
  var stateText: String {
    let text = model.text
    guard !text.isEmpty else {
      return "{\"version\":0,\"status\":\"evaluating\",\"messages\":[],\"settings\":[],\"outputs\":[]}"
    }
    return text.dropLast() + ",\"running\":\(run.isRunning),\"timeline\":\(!run.timeline.isEmpty)}"
  }

  // MARK: - pictures

  private static let sides = 1...8_192

  private func picture(_ request: WebRequest, _ key: String) {
    let isNext = request.argument("class") == "next"
    make(request, key, isNext ? .utility : .userInteractive) { image in
      image.bytes.withUnsafeBytes {
        request.answer(
          200, image.mediaType, $0, headers: [("Cache-Control", "private, max-age=31536000, immutable")])
      }
    }
  }

  private func pixel(_ request: WebRequest, _ key: String) {
    guard let x = request.integer("x", in: -1...100_000), let y = request.integer("y", in: -1...100_000),
      let size = model.size(key)
    else { return request.answer(404, "stale") }
    make(request, key, .userInteractive) { image in
      let layout = image.frame.layout
      guard let values = PixelFacts.values(of: image.frame, x: x, y: y) else {
        return request.answer(404, "outside of the picture")
      }
      request.answer(
        json: .object([
          ("x", .integer(Int((Double(x) + 0.5) * size.width / Double(layout.width)))),
          ("y", .integer(Int((Double(y) + 0.5) * size.height / Double(layout.height)))),
          ("values", .array(values.map { .integer($0) })),
          ("maximum", .integer(layout.format.sample.maximum)),
        ]))
    }
  }

  private func histogram(_ request: WebRequest, _ key: String) {
    make(request, key, .userInteractive) { image in
      request.answer(
        json: .object([
          ("bands", .array(PixelFacts.bandNames(image.frame.layout).map { .text($0) })),
          (
            "bins",
            .array(PixelFacts.histogram(of: image.frame).map { .array($0.map { .integer($0) }) })
          ),
        ]))
    }
  }

  private func make(
    _ request: WebRequest, _ key: String, _ qos: QualityOfService, _ body: @escaping @Sendable (ScreenImage) -> Void
  ) {
    guard let width = request.integer("width", in: Self.sides), let height = request.integer("height", in: Self.sides)
    else { return request.answer(400, "width and height are missing") }
    let isKnown = pictures.make(key, width: width, height: height, qos: qos, waits: { !request.isGone }) { result in
      switch result {
      case .success(let image): body(image)
      case .failure(.cancelled): request.answer(404, "stale")
      case .failure(.failed(let diagnostic)):
        request.answer(json: .object([("message", .text(diagnostic.text))]), 422)
      }
    }
    if !isKnown { request.answer(404, "stale") }
  }

  private func timeline(_ request: WebRequest) {
    let drawing = run.timeline
    guard !drawing.isEmpty else { return request.answer(404, "there was no run") }
    drawing.withUnsafeBytes {
      request.answer(200, "image/svg+xml", $0, headers: [("Cache-Control", "no-store")])
    }
  }

  private func file(_ request: WebRequest, _ name: String) {
    guard let (type, bytes) = PageFiles.file(name) else { return request.answer(404, "there is nothing here") }
    request.answer(200, type, bytes, headers: [("Cache-Control", "no-cache")])
  }

  // MARK: - commands

  private func post(_ request: WebRequest, _ name: String) {
    switch name {
    case "run": request.answer(run.start(settings()) ? 204 : 409)
    case "cancel":
      run.cancel()
      request.answer(204)
    case "settings":
      guard case .object(let fields)? = request.json else { return request.answer(400, "expected a JSON object") }
      onSettings(fields.map { ($0.0, Self.settingText($0.1)) })
      request.answer(204)
    case "view":
      guard let view = request.json, let width = view["width"]?.integerValue, let height = view["height"]?.integerValue,
        Self.sides.contains(width), Self.sides.contains(height)
      else { return request.answer(400, "expected what is visible, with a width and a height") }
      let (visible, next) = (Self.keys(view["visible"]), Self.keys(view["next"]))
      request.answer(204)
      pictures.look(at: visible, next: next, width: width, height: height)
    default: request.answer(404, "there is nothing here")
    }
  }

  private static func keys(_ list: JSON?) -> [String] { (list?.items ?? []).prefix(500).compactMap(\.textValue) }

  /// Returns the value of a setting in the syntax of `--set`; nil for a setting that is reset.
  private static func settingText(_ value: JSON) -> String? {
    switch value {
    case .null: nil
    case .text(let text): text
    default: value.line
    }
  }
}

/// The files of the page, which are compiled into the program: see `CEmbeddedFiles`.
enum PageFiles {
  /// The media types of the page's files. No other embedded file has one of these endings.
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
    "js": "text/javascript; charset=utf-8",
  ]

  /// Returns a file and its media type; nil if there is none with this name. The empty name is the page itself.
  static func file(_ name: String) -> (type: String, bytes: UnsafeRawBufferPointer)? {
    let name = name.isEmpty ? "preview.html" : name
    var count = 0
    guard let type = name.split(separator: ".").last.flatMap({ types[String($0)] }),
      let bytes = imghost_embedded_file(name, &count)
    else { return nil }
    return (type, UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
