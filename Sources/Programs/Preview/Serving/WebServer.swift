import CWebServer
import ImageCore
import Platform

/// A web server for browsers on this machine.
///
/// The handler is called on the server's own thread, and must return quickly.
final class WebServer: Sendable {
  /// Holds the handler for the C code. It is never freed.
  private final class Handler: Sendable {
    let handle: @Sendable (WebRequest) -> Void
    init(_ handle: @escaping @Sendable (WebRequest) -> Void) { self.handle = handle }
  }

  /// - Parameters:
  ///   - socket: a listening socket.
  ///   - root: the common prefix of the paths of authorised requests. All other requests receive only short answers.
  init(on socket: Int32, root: String, _ handle: @escaping @Sendable (WebRequest) -> Void)
    throws(PreviewServer.Failure)
  {
    var problem: UnsafePointer<CChar>?
    let context = Unmanaged.passRetained(Handler(handle)).toOpaque()
    let server = cweb_start(
      socket, root,
      { context, request in
        guard let context, let request else { return }
        Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue().handle(WebRequest(request))
      }, context, &problem)
    guard server != nil else {
      throw PreviewServer.Failure(reason: problem.map { String(cString: $0) } ?? "it cannot be started")
    }
  }
}

/// A request of a browser. It is answered once, from any thread.
///
/// `@unchecked Sendable`, because the C code does not touch a request until its one owner answers it, which is possible
/// on any thread.
final class WebRequest: @unchecked Sendable {
  private let request: OpaquePointer
  let method: String
  let path: String

  init(_ request: OpaquePointer) {
    self.request = request
    method = String(cString: cweb_method(request))
    path = String(cString: cweb_path(request))
  }

  /// Whether the path begins with the server's root.
  var isKnown: Bool { cweb_is_known(request) }

  func header(_ name: String) -> String? { cweb_header(request, name).map { String(cString: $0) } }

  /// Returns an integer in the query, clamped to a range; nil if it is missing, or is not an integer.
  func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = cweb_argument(request, name), let value = Int(String(cString: text)) else { return nil }
    return min(max(value, range.lowerBound), range.upperBound)
  }

  func argument(_ name: String) -> String? { cweb_argument(request, name).map { String(cString: $0) } }

  /// The body as JSON; nil if it is too large, or is not JSON.
  var json: JSON? {
    if cweb_is_too_large(request) { return nil }
    var count = 0
    let bytes = UnsafeRawBufferPointer(start: cweb_body(request, &count), count: count)
    return JSONReader.value(of: String(decoding: bytes, as: UTF8.self))
  }

  /// Whether the browser has closed the connection, and no longer waits for the answer.
  var isGone: Bool { cweb_is_gone(request) }

  // MARK: - answers

  func answer(_ status: Int, _ type: String, _ bytes: UnsafeRawBufferPointer, headers: [(String, String)] = []) {
    Self.withHeaders(headers + [("Content-Type", type)]) {
      cweb_answer(request, UInt32(status), $0.baseAddress, $0.count, bytes.baseAddress, bytes.count)
    }
  }

  func answer(_ status: Int, _ type: String, _ text: String, headers: [(String, String)] = []) {
    var text = text
    text.withUTF8 { answer(status, type, UnsafeRawBufferPointer($0), headers: headers) }
  }

  func answer(json: JSON, _ status: Int = 200) {
    answer(status, "application/json", json.line, headers: [("Cache-Control", "no-store")])
  }

  func answer(_ status: Int, _ text: String = "") {
    answer(status, "text/plain; charset=utf-8", text, headers: [("Cache-Control", "no-store")])
  }

  func stream() -> EventStream {
    Self.withHeaders([("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")]) {
      EventStream(cweb_answer_stream(request, $0.baseAddress, $0.count))
    }
  }

  /// The security headers of the page: it loads nothing from elsewhere, and does not reveal its address.
  private static let safety = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  private static func withHeaders<Result>(
    _ headers: [(String, String)], _ body: (UnsafeBufferPointer<CWebHeader>) -> Result
  ) -> Result {
    let copies = (headers + safety).map { (strdup($0.0), strdup($0.1)) }
    defer {
      for (name, value) in copies {
        free(name)
        free(value)
      }
    }
    return copies.map { CWebHeader(name: $0.0, value: $0.1) }.withUnsafeBufferPointer(body)
  }
}

/// Events for one browser, as the HTML standard defines them (9.2, server-sent events). Safe to use from any thread.
///
/// `@unchecked Sendable`, because the C code protects the stream with its own lock.
final class EventStream: @unchecked Sendable {
  private let stream: OpaquePointer

  init(_ stream: OpaquePointer!) { self.stream = stream }

  deinit { cweb_stream_release(stream) }

  /// Sends an event with JSON on one line. Returns whether the browser may still be connected.
  func send(_ event: String, _ data: String) -> Bool {
    var text = "event: \(event)\ndata: \(data)\n\n"
    return text.withUTF8 { cweb_send(stream, $0.baseAddress, $0.count) }
  }
}
