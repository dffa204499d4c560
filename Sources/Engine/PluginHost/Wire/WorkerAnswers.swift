import ImageCore

/// The functions with which the host reads a worker's messages, gathered for tests and fuzzing.
package enum WorkerAnswers {
  /// Reads a message as far as possible. Stops the process if a guarantee is violated: fuzzing looks for such
  /// violations.
  ///
  /// - Returns: whether it was a message of the protocol.
  @discardableResult
  package static func read(_ bytes: [UInt8]) -> Bool {
    guard let (kind, _, content) = try? Message.open(bytes) else { return false }
    var body = content
    switch kind {
    case .description:
      guard let plugin = try? PluginDescription(from: &body) else { return false }
      check(plugin)
    case .fault:
      guard let fault = try? Fault(from: &body) else { return false }
      check(line: fault.description)
    case .isolation:
      guard let report = try? IsolationReport(from: &body) else { return false }
      check(line: report.summary)
    case .refused:
      guard (try? body.integer(UInt32.self)) != nil, let text = try? body.line() else { return false }
      check(line: text)
    case .log, .failed:
      if kind == .log { _ = try? body.integer(UInt32.self) }
      guard let text = try? body.line() else { return false }
      check(line: text)
    case .call:
      guard let request = try? CallRequest(from: &body) else { return false }
      var writer = kind.begin()
      request.write(to: &writer)
      precondition(writer.bytes.count >= 16)
    case .opened:
      guard let image = try? CodecImage(from: &body) else { return false }
      check(image)
    case .read: return (try? ReadRequest(from: &body)) != nil
    case .begin, .rewrite: return (try? BeginRequest(from: &body)) != nil
    case .threads, .open, .rows, .endPage, .finish, .take, .metadata, .attach, .stored, .wrap, .close, .notMine: break
    case .done:
      // The body may be the number of ready bytes, or a piece of metadata.
      var piece = body
      _ = try? body.integer(UInt64.self)
      _ = try? piece.text()
    }
    return true
  }

  /// Checks that the defaults of a plugin pass its parameters' checks, and can be converted for a call.
  private static func check(_ plugin: PluginDescription) {
    precondition(!plugin.name.isEmpty && plugin.parameters.count <= Limits.parameters)
    for text in [plugin.name, plugin.version, plugin.summary, plugin.formats] { check(line: text) }
    do {
      // Only the plugin's own parameters have defaults. The size of a source and the pictures of a mixer have none.
      let arguments = try Arguments(
        RawArguments(), parameters: plugin.parameters.map(\.descriptor), positionalCount: 0)
      for parameter in plugin.parameters {
        let value = try parameter.value(from: arguments)
        precondition(parameter.setting(of: value) == nil)
      }
    } catch {
      preconditionFailure("\(plugin.name): its defaults are refused: \(error)")
    }
  }

  /// Checks that counts, sizes and the delay are in range, that the size of the picture in bytes does not overflow, and
  /// that texts contain no control characters.
  private static func check(_ image: CodecImage) {
    precondition(image.pageCount > 0 && image.layout.byteCount > 0 && image.delay >= 0)
    precondition(image.shrinks.allSatisfy { $0 > 1 })
    precondition(image.metadata.allSatisfy { (0...MetadataPart.maximumByteCount).contains($0) })
    for (name, value) in image.facts {
      check(line: name)
      if case .text(let text) = value { check(line: text) }
    }
  }

  private static func check(line: String) {
    precondition(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
  }
}
