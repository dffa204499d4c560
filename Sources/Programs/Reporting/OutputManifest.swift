import ImageCore
import Platform

/// The file of `--manifest`: the outputs of a run, and their sources.
package struct OutputManifest: Sendable {
  /// One file, with its size and its digest.
  package struct File: Sendable {
    package let path: String
    package let byteCount: Int
    package let digest: String
    /// The size in pixels and the format's name; nil if the file is not a readable picture.
    package let picture: (width: Int, height: Int, format: String)?

    package init(path: String, byteCount: Int, digest: String, picture: (width: Int, height: Int, format: String)?) {
      self.path = path
      self.byteCount = byteCount
      self.digest = digest
      self.picture = picture
    }
  }

  /// The result of one output.
  package enum State: Sendable {
    /// - Parameters:
    ///   - total: the number of bytes of all files of this output, such as tiles.
    ///   - isKept: whether the output was made by an earlier run.
    case written(File, total: Int, isKept: Bool)
    case failed
    case cancelled
  }

  package struct Output: Sendable {
    package let path: String
    /// The function that wrote the output: `save`.
    package let function: String
    package let script: String?
    package let line: Int?
    /// The paths of the sources: first the picture itself, then the pictures that are drawn onto it.
    package let sources: [String]
    /// The page of the first source, from 1.
    package let page: Int
    /// The rotations and crops of the picture; see `OutputRecord.view`.
    package let view: String
    /// The number of pages of a written book; nil for other outputs.
    package let pageCount: Int?
    package let state: State
    /// The reason why the output failed or lacks pages; nil for other outputs.
    package let message: String?
    /// The value that the script gave for the manifest; nil if there is none.
    package let note: JSON?

    package init(
      path: String, function: String, script: String?, line: Int?, sources: [String], page: Int = 1,
      view: String, pageCount: Int?, state: State, message: String?, note: JSON? = nil
    ) {
      self.path = path
      self.function = function
      self.script = script
      self.line = line
      self.sources = sources
      self.page = page
      self.view = view
      self.pageCount = pageCount
      self.state = state
      self.message = message
      self.note = note
    }
  }

  /// The version of the schema, Docs/Reference/manifest.schema.json.
  package static let schema = 2
  /// The first characters of every manifest. A file that begins with them may be replaced by a new manifest.
  package static let beginning = "{\n  \"manifest\": \"imghost\""

  package var version: String
  package var script: String
  package var status: Int
  package var sources: [File]
  package var outputs: [Output]

  package init(version: String, script: String, status: Int, sources: [File], outputs: [Output]) {
    self.version = version
    self.script = script
    self.status = status
    self.sources = sources
    self.outputs = outputs
  }

  /// The written files, each once, in the format of `sha256sum -c`.
  package var digestList: String {
    var known: Set<[UInt8]> = []
    return outputs.reduce(into: "") { list, output in
      guard case .written(let file, _, _) = output.state, known.insert(PathBytes.bytes(of: output.path)).inserted else {
        return
      }
      list += DigestLine(path: output.path, digest: file.digest).text + "\n"
    }
  }

  /// The contents of the JSON file: one line each for the schema, the version, the script and the status, and then one
  /// for each source, output and srcset.
  package var text: String {
    let facts: [(String, JSON)] = [
      ("schema", .integer(Self.schema)), ("version", .text(version)), ("script", .text(script)),
      ("status", .integer(status)),
    ]
    let head = facts.map { "  \(JSONText.quoted($0.0)): \($0.1.line)" }
    let lists = [
      ("sources", sources.map { $0.json.line }), ("outputs", outputs.map { $0.json.line }),
      ("srcsets", SourceSet.all(of: outputs).map { $0.json.line }),
    ]
    let tail = lists.map { name, lines in
      "  \"\(name)\": [" + (lines.isEmpty ? "" : "\n    " + lines.joined(separator: ",\n    ") + "\n  ") + "]"
    }
    return ([Self.beginning] + head + tail).joined(separator: ",\n") + "\n}\n"
  }
}

extension OutputManifest.File {
  /// Returns the same file with another path.
  package func moved(to path: String) -> Self {
    OutputManifest.File(path: path, byteCount: byteCount, digest: digest, picture: picture)
  }

  /// The fields of the file's entry, without the path.
  fileprivate var facts: [(String, JSON)] {
    [("bytes", .integer(byteCount)), ("sha256", .text(digest))]
      + (picture.map {
        [("width", .integer($0.width)), ("height", .integer($0.height)), ("format", .text($0.format))]
      } ?? [])
  }

  fileprivate var json: JSON { .object([("path", .text(path)), ("url", .text(PercentEncoding.path(path)))] + facts) }
}

extension OutputManifest.Output {
  fileprivate var json: JSON {
    var fields: [(String, JSON)] = [("path", .text(path))]
    switch state {
    case .written(let file, let total, let isKept):
      fields +=
        [("url", .text(PercentEncoding.path(path))), ("state", .text(isKept ? "kept" : "written"))] + file.facts
      if total != file.byteCount { fields.append(("total_bytes", .integer(total))) }
    case .failed: fields.append(("state", .text("failed")))
    case .cancelled: fields.append(("state", .text("cancelled")))
    }
    if let message { fields.append(("message", .text(message))) }
    if let pageCount { fields.append(("pages", .integer(pageCount))) }
    if let note { fields.append(("note", note)) }
    return .object(
      fields + [
        ("sources", .array(sources.map { .text($0) })), ("function", .text(function)), ("script", .optional(script)),
        ("line", .optional(line)),
      ])
  }
}
