import ImageCore
import ImagePipeline

/// The way a merge works, as recorded in manifests.
extension ShardManifest.Merge {
  var json: JSON {
    switch self {
    case .script(let reason): .object([("way", .text("script")), ("reason", .text(reason))])
    case .packs(let record):
      .object([
        ("way", .text("packs")), ("pictures", .integer(record.pictureCount)), ("sources", .integer(record.sourceCount)),
        ("requested", .integer(record.requestedCount)), ("notes", .array(record.notes.map { .text($0) })),
        ("books", .array(record.documents.map(\.json))),
      ])
    }
  }

  init?(_ json: JSON) {
    switch json["way"]?.textValue {
    case "script": self = .script(json["reason"]?.textValue ?? "")
    case "packs":
      var record = MergeRecord()
      let books = json["books"]?.items ?? []
      record.documents = books.compactMap { RecordedDocument($0) }
      guard record.documents.count == books.count, let pictures = json["pictures"]?.pictureCount,
        let sources = json["sources"]?.pictureCount, let requested = json["requested"]?.pictureCount
      else { return nil }
      (record.pictureCount, record.sourceCount, record.requestedCount) = (pictures, sources, requested)
      record.notes = json["notes"]?.items.compactMap(\.textValue).map { printable($0) } ?? []
      self = .packs(record)
    default: return nil
    }
  }
}

extension RecordedDocument {
  fileprivate var json: JSON {
    .object([
      ("path", .text(path)), ("script", .optional(position?.file)), ("line", .optional(position?.line)),
      ("origin", .optional(position?.origin)), ("pictures", .integer(pictureCount)),
      ("lost", .array(lost.map { .integer($0) })),
      ("options", .object(options.named.compactMap { option in option.value.json.map { (option.name, $0) } })),
    ])
  }

  fileprivate init?(_ json: JSON) {
    guard let path = json["path"]?.textValue, let pictures = json["pictures"]?.pictureCount else { return nil }
    var position: ScriptPosition?
    if let file = json["script"]?.textValue, let line = json["line"]?.lineNumber {
      position = ScriptPosition(file: file, line: line, origin: json["origin"]?.textValue)
    }
    let lost = json["lost"]?.items.compactMap(\.pictureCount) ?? []
    guard lost.allSatisfy({ $0 < pictures }) else { return nil }
    var options = RawArguments()
    for (name, value) in json["options"]?.fields ?? [] {
      guard let value = ParameterValue(value) else { return nil }
      options.named.append((name, value))
    }
    self.init(path: path, position: position, pictureCount: pictures, lost: lost, options: options)
  }
}

extension JSON {
  /// The number of a line in a script; nil for other values, and for numbers that no script reaches.
  var lineNumber: Int? { integerValue.flatMap { (0...100_000_000).contains($0) ? $0 : nil } }

  /// A number of pictures or files; nil for other values, and for numbers that no run reaches.
  fileprivate var pictureCount: Int? { countValue.flatMap { $0 <= 100_000_000 ? $0 : nil } }
}

extension ParameterValue {
  /// The value as JSON; nil if it is not a plain value.
  fileprivate var json: JSON? {
    switch self {
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    // Numbers are stored as text, because a number without a fraction would be read back as an integer.
    case .number(let value): .object([("number", .text("\(value)"))])
    case .text(let value): .text(value)
    case .list(let items): .array(items.compactMap(\.json))
    case .fields(let fields):
      .object([
        (
          "fields",
          .object(fields.sorted { $0.key < $1.key }.compactMap { field in field.value.json.map { (field.key, $0) } })
        )
      ])
    case .picture, .jobs, .colour, .other: nil
    }
  }

  fileprivate init?(_ json: JSON) {
    switch json {
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .text(let value): self = .text(value)
    case .array(let items):
      let values = items.compactMap { ParameterValue($0) }
      guard values.count == items.count else { return nil }
      self = .list(values)
    case .object:
      if let text = json["number"]?.textValue {
        guard let value = Double(text), value.isFinite else { return nil }
        self = .number(value)
      } else if let fields = json["fields"]?.fields {
        let values = fields.compactMap { name, item in ParameterValue(item).map { (name, $0) } }
        guard values.count == fields.count else { return nil }
        self = .fields(Dictionary(values, uniquingKeysWith: { $1 }))
      } else {
        return nil
      }
    case .null, .number: return nil
    }
  }
}
