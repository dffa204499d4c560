import ImageCore
import ImagePipeline

/// The record of a shard: the files that the shard has read and written. The manifest is written last, so that
/// everything listed in it exists.
package struct ShardManifest: Sendable {
  package struct Input: Sendable {
    package let path: String
    package let byteCount: Int
    /// The modification time in nanoseconds since 1970.
    package let modified: Int
    package let digest: String
  }

  package struct Output: Sendable {
    /// The path, relative to the folder of outputs.
    package let path: String
    /// The path in the script, if the file name contains a digest; nil if it equals `path`.
    package var key: String?
    package var byteCount = 0
    /// The total number of bytes of the output's files, including further files such as tiles.
    package var totalByteCount = 0
    package var digest = ""
    /// Whether an earlier run of the shard made the output.
    package var isKept = false
    /// The reason why the output could not be written; nil if it was written or cancelled.
    package var failure: Diagnostic?
    package var isCancelled = false
  }

  package struct Pack: Sendable {
    /// The book's path, relative to the folder of outputs.
    package let book: String
    /// The file's name in the folder of manifests.
    package let file: String
    package let byteCount: Int
    package let digest: String
    package let pageCount: Int
  }

  package var identity: RunIdentity
  package var shard: ShardIndex
  /// Digests that show how the work was divided among the shards; several for a script that calls `await`.
  package var divisions: [String]
  /// The versions of the plugins that were found, by name.
  package var plugins: [(name: String, version: String)]
  package var host: String
  /// The duration of the shard in seconds.
  package var seconds: Double
  /// The exit status of the shard.
  package var status: Int
  package var inputs: [Input] = []
  package var outputs: [Output] = []
  package var packs: [Pack] = []
  /// Failures, and notes about single pictures, in the order in which they occurred.
  package var events: [RunEvent] = []
  package var losses: [ShardLoss] = []
  /// The lines that the script printed; only in the manifest of the first shard.
  package var printed: [String] = []
  /// The way a merge works: from the packs, or by running the script.
  package var merge = Merge.script("an unknown script")

  package enum Merge: Sendable, Hashable {
    /// The merge writes the recorded books from their packs.
    case packs(MergeRecord)
    /// The merge must run the script, for this reason.
    case script(String)
  }

  package init(
    _ identity: RunIdentity, _ shard: ShardIndex, divisions: [String], plugins: [(name: String, version: String)],
    host: String, seconds: Double, status: Int
  ) {
    (self.identity, self.shard, self.divisions, self.plugins) = (identity, shard, divisions, plugins)
    (self.host, self.seconds, self.status) = (host, seconds, status)
  }

  /// The failures among the events.
  package var failures: [Diagnostic] {
    events.compactMap { if case .failed(let diagnostic) = $0 { diagnostic } else { nil } }
  }

  /// The maximum size of a manifest that is read, in bytes. A manifest of a million pictures has 160 MB.
  static let mostBytes = 1 << 29

  /// Reads a manifest in the folder of its shards; nil if it cannot be read, or is not a manifest of this shard.
  ///
  /// - Throws: `ShardFileProblem` if the file or its folder is not trusted, or is a link.
  package init?(_ shard: ShardIndex, in folder: ShardFolder) throws(ShardFileProblem) {
    let file: InputFile
    do throws(ShardFileProblem) {
      file = try folder.open(String(PathName.name(folder.manifest(shard))))
    } catch {
      if case .missing = error.reason { return nil }
      throw error
    }
    guard file.byteCount <= Self.mostBytes, let bytes = try? file.bytes(at: 0, count: file.byteCount) else {
      return nil
    }
    self.init(bytes)
    guard self.shard == shard else { return nil }
  }

  /// Writes the manifest under its name, either completely or not at all.
  package func write(to path: String) throws(PictureError) {
    let file = try OutputFile(path: path)
    file.removeWorldWrite()
    try file.write(Array((json.line + "\n").utf8))
    try file.commit()
  }
}

// MARK: - JSON

extension ShardManifest {
  /// The version of the file format; readers reject others.
  static let format = 2

  var json: JSON {
    .object([
      ("format", .integer(Self.format)), ("version", .text(identity.version)),
      ("script", .object([("name", .text(identity.script)), ("sha256", .text(identity.digest))])),
      ("arguments", .array(identity.arguments.map { .text($0) })),
      ("options", .array(identity.options.map { .text($0) })),
      ("plugins", .object(plugins.map { ($0.name, .text($0.version)) })),
      ("shard", .integer(shard.number)), ("shards", .integer(shard.count)),
      ("divisions", .array(divisions.map { .text($0) })), ("host", .text(host)), ("seconds", .number(seconds)),
      ("status", .integer(status)), ("merge", merge.json), ("printed", .array(printed.map { .text($0) })),
      ("inputs", .array(inputs.map(\.json))), ("outputs", .array(outputs.map(\.json))),
      ("packs", .array(packs.map(\.json))),
      ("events", .array(events.compactMap(Self.json))), ("losses", .array(losses.map(\.json))),
    ])
  }

  /// Reads the text of a manifest; nil if the text is not a manifest of this format. The items of its long lists are
  /// parsed one at a time, to save memory.
  package init?(_ bytes: [UInt8]) {
    var (inputs, outputs, packs): ([Input], [Output], [Pack]) = ([], [], [])
    var (events, losses): ([RunEvent], [ShardLoss]) = ([], [])
    var head: [(String, JSON)] = []
    var reader = JSONReader(bytes)
    func read<Item>(
      _ reader: inout JSONReader, into items: inout [Item], _ make: (inout JSONReader) -> Item?
    ) -> Bool {
      reader.eachItem { reader in
        guard let item = make(&reader) else { return false }
        items.append(item)
        return true
      }
    }
    let isWhole = reader.eachField { name, reader in
      switch name {
      // The inputs are by far the longest list, so their items are read field by field, without building JSON objects.
      case "inputs": return read(&reader, into: &inputs) { Input(&$0) }
      case "outputs": return read(&reader, into: &outputs) { $0.value().flatMap(Output.init) }
      case "packs": return read(&reader, into: &packs) { $0.value().flatMap(Pack.init) }
      case "events": return read(&reader, into: &events) { $0.value().flatMap(Self.event) }
      case "losses": return read(&reader, into: &losses) { $0.value().flatMap(ShardLoss.init) }
      default:
        guard let value = reader.value() else { return false }
        head.append((name, value))
        return true
      }
    }
    guard isWhole, reader.isAtEnd else { return nil }
    self.init(head: .object(head))
    (self.inputs, self.outputs, self.packs, self.losses) = (inputs, outputs, packs, losses)
    self.events = events + self.events
  }

  private init?(head json: JSON) {
    guard json["format"]?.integerValue == Self.format, let version = json["version"]?.textValue,
      let script = json["script"]?["name"]?.textValue, let digest = json["script"]?["sha256"]?.textValue,
      let number = json["shard"]?.integerValue, let count = json["shards"]?.integerValue,
      let shard = ShardIndex(number, of: count), let host = json["host"]?.textValue,
      let status = json["status"]?.integerValue, (0...255).contains(status),
      let seconds = json["seconds"]?.numberValue, (0...Self.mostSeconds).contains(seconds),
      let merge = json["merge"].flatMap(Merge.init)
    else { return nil }
    func texts(_ name: String) -> [String] { json[name]?.items.compactMap(\.textValue) ?? [] }
    self.init(
      RunIdentity(
        version: version, script: script, digest: digest, arguments: texts("arguments"), options: texts("options")),
      shard, divisions: texts("divisions"),
      plugins: json["plugins"]?.fields.compactMap { field in field.1.textValue.map { (field.0, $0) } } ?? [],
      host: host, seconds: seconds, status: status)
    keepPrinted(texts("printed"))
    self.merge = merge
  }

  /// The maximum duration of a shard in seconds: a century.
  private static let mostSeconds = 3_155_760_000.0
  /// The maximum size of all printed lines together, in bytes.
  static let mostPrintedBytes = 4 << 20

  /// Keeps the lines that a script has printed, up to a maximum size, with a note about the rest. Control characters
  /// are replaced now, because the lines are later printed to a terminal unchanged.
  mutating func keepPrinted(_ lines: [String]) {
    var left = Self.mostPrintedBytes
    printed = []
    for line in lines {
      guard line.utf8.count <= left else { break }
      left -= line.utf8.count + 1
      printed.append(printableLines(line))
    }
    let lost = lines.count - printed.count
    guard lost > 0 else { return }
    let words = lost == 1 ? "1 line" : "\(lost) lines"
    events.append(
      .note(
        Diagnostic(
          .script, at: nil, subject: "print",
          message:
            "note: \(words) that the script printed \(lost == 1 ? "is" : "are") left out: the manifest of a shard "
            + "keeps \(Self.mostPrintedBytes >> 20) MiB of them")))
  }

  private static func json(_ event: RunEvent) -> JSON? {
    switch event {
    case .failed(let diagnostic): .object([("failed", diagnostic.manifestJSON)])
    case .note(let diagnostic): .object([("note", diagnostic.manifestJSON)])
    default: nil
    }
  }

  private static func event(_ json: JSON) -> RunEvent? {
    if let failed = json["failed"] { return Diagnostic(manifest: failed).map { .failed($0) } }
    return json["note"].flatMap(Diagnostic.init(manifest:)).map { .note($0) }
  }
}

extension ShardManifest.Input {
  fileprivate var json: JSON {
    .object([
      ("path", .text(path)), ("bytes", .integer(byteCount)), ("modified", .integer(modified)),
      ("sha256", .text(digest)),
    ])
  }

  fileprivate init?(_ reader: inout JSONReader) {
    var (path, digest): (String?, String?)
    var (byteCount, modified): (Int?, Int?)
    let isWhole = reader.eachField { name, reader in
      guard let value = reader.value() else { return false }
      switch name {
      case "path": path = value.textValue
      case "bytes": byteCount = value.integerValue
      case "modified": modified = value.integerValue
      case "sha256": digest = value.textValue
      default: break
      }
      return true
    }
    guard isWhole, let path, let byteCount, let modified, let digest else { return nil }
    self.init(path: path, byteCount: byteCount, modified: modified, digest: digest)
  }
}

extension ShardManifest.Output {
  fileprivate var json: JSON {
    let names: [(String, JSON)] = [("path", .text(path))] + (key.map { [("key", .text($0))] } ?? [])
    if isCancelled { return .object(names + [("cancelled", .boolean(true))]) }
    guard failure == nil else { return .object(names + [("failure", failure?.manifestJSON ?? .null)]) }
    return .object(
      names + [
        ("bytes", .integer(byteCount)), ("total", .integer(totalByteCount)),
        ("sha256", .text(digest)), ("kept", .boolean(isKept)),
      ])
  }

  fileprivate init?(_ json: JSON) {
    guard let path = json["path"]?.textValue else { return nil }
    self.init(path: path)
    key = json["key"]?.textValue
    isCancelled = json["cancelled"]?.isTrue ?? false
    isKept = json["kept"]?.isTrue ?? false
    failure = json["failure"].flatMap(Diagnostic.init(manifest:))
    guard let byteCount = (json["bytes"] ?? .integer(0)).countValue,
      let totalByteCount = (json["total"] ?? .integer(byteCount)).countValue
    else { return nil }
    (self.byteCount, self.totalByteCount) = (byteCount, totalByteCount)
    digest = json["sha256"]?.textValue ?? ""
  }
}

extension ShardManifest.Pack {
  /// Returns whether a text can be the name of a file, without a folder. Compares bytes, because Swift does not treat a
  /// slash with a combining mark as a slash.
  private static func isName(_ text: String) -> Bool {
    !["", ".", ".."].contains(text) && !text.utf8.contains(UInt8(ascii: "/")) && !text.utf8.contains(0)
  }

  fileprivate var json: JSON {
    .object([
      ("book", .text(book)), ("file", .text(file)), ("bytes", .integer(byteCount)), ("sha256", .text(digest)),
      ("pages", .integer(pageCount)),
    ])
  }

  fileprivate init?(_ json: JSON) {
    guard let book = json["book"]?.textValue, let file = json["file"]?.textValue, Self.isName(file),
      let byteCount = json["bytes"]?.countValue, let digest = json["sha256"]?.textValue,
      let pageCount = json["pages"]?.countValue
    else { return nil }
    self.init(book: book, file: file, byteCount: byteCount, digest: digest, pageCount: pageCount)
  }
}

extension ShardLoss {
  fileprivate var json: JSON {
    .object([("subject", .text(subject)), ("text", .text(text)), ("files", .array(files.map { .text($0) }))])
  }

  fileprivate init?(_ json: JSON) {
    guard let subject = json["subject"]?.textValue, let text = json["text"]?.textValue else { return nil }
    self.init(subject: subject, text: text, files: json["files"]?.items.compactMap(\.textValue) ?? [])
  }
}

extension Diagnostic {
  /// The maximum size of a message in a manifest, in bytes. Messages of scripts are truncated to a smaller size.
  private static let mostMessageBytes = 1 << 20

  fileprivate var manifestJSON: JSON {
    .object([
      ("kind", .text(kind.rawValue)), ("script", .optional(position?.file)), ("line", .optional(position?.line)),
      ("origin", .optional(position?.origin)), ("subject", .optional(subject)), ("file", .optional(file)),
      ("message", .text(message)), ("cause", .optional(cause)), ("lines", .boolean(keepsLines)),
      ("reason", .optional(reason)), ("advice", .optional(advice?.rawValue)), ("refusal", .boolean(isRefusal)),
    ])
  }

  fileprivate init?(manifest json: JSON) {
    guard let kind = (json["kind"]?.textValue).flatMap(Kind.init), let message = json["message"]?.textValue,
      message.utf8.count <= Self.mostMessageBytes
    else { return nil }
    var position: ScriptPosition?
    if let file = json["script"]?.textValue, let line = json["line"]?.lineNumber {
      position = ScriptPosition(file: file, line: line, origin: json["origin"]?.textValue)
    }
    self.init(
      kind, at: position, subject: json["subject"]?.textValue, file: json["file"]?.textValue, message: message,
      isRefusal: json["refusal"]?.isTrue ?? false)
    cause = json["cause"]?.textValue
    reason = json["reason"]?.textValue
    keepsLines = json["lines"]?.isTrue ?? false
    advice = (json["advice"]?.textValue).flatMap(Advice.init)
  }
}
