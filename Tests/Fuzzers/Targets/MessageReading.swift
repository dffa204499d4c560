@testable import ClusterRuns
@testable import ImageCore
@testable import ImagePipeline
@testable import LuaBindings
@testable import PluginHost
@testable import Reporting
import Platform
@testable import Sharding

/// A message of a worker's, as the host reads it.
enum WorkerReading {
  static func read(_ bytes: [UInt8]) { WorkerAnswers.read(Array(bytes.prefix(Message.maximumByteCount))) }
}

/// What a codec declares and answers.
enum CodecReading {
  static func read(_ bytes: [UInt8]) { CodecAnswers.read(Array(bytes.prefix(Message.maximumByteCount))) }
}

enum JSONReading {
  static func read(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let value = JSONReader.value(of: text) else { return }
    guard let again = JSONReader.value(of: value.line) else { preconditionFailure("written JSON cannot be read") }
    precondition(again.line == value.line, "JSON changes when it is written twice")
  }
}

/// The manifest of a shard.
enum ManifestReading {
  static func read(_ bytes: [UInt8]) {
    guard let manifest = ShardManifest(bytes) else { return }
    guard let again = ShardManifest(Array(manifest.json.line.utf8)) else {
      preconditionFailure("a written manifest cannot be read")
    }
    precondition(again.json.line == manifest.json.line)
    for failure in manifest.failures { precondition(!"\(failure)".isEmpty) }
  }
}

/// A list of files to verify: a manifest, or lines of digests.
enum ListReading {
  static func read(_ bytes: [UInt8]) {
    if let list = try? ListedFiles(manifest: bytes) { check(list.files) }
    guard let list = try? ListedFiles(digests: bytes) else { return }
    check(list.files)
    for file in list.files {
      let line = DigestLine(path: file.path, digest: file.digest)
      precondition(DigestLine(PathBytes.bytes(of: line.text)) == line, "a written line reads otherwise")
    }
  }

  private static func check(_ files: [ListedFiles.File]) {
    for file in files {
      precondition(!file.path.isEmpty && file.digest.utf8.count == 64)
      precondition(file.byteCount.map { $0 >= 0 } ?? true)
    }
  }
}

/// The record of a run on a cluster.
enum RecordReading {
  static func read(_ bytes: [UInt8]) {
    guard let json = JSONReader.value(of: String(decoding: bytes, as: UTF8.self)), let record = RunRecord(json)
    else { return }
    precondition(RunRecord(record.json) != nil)
  }
}

/// A template of names and texts, and values of a picture that it names: the first line is the template, the rest the
/// value of each field.
enum TemplateReading {
  private static let uses: [NameTemplate.Use] = [.path, .caption, .picture, .address, .runningLine]

  static func read(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
    let template = String(decoding: parts[0], as: UTF8.self)
    let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "x"
    _ = NameTemplate.firstField(in: template)
    for use in uses {
      do {
        try fill(try NameTemplate(template, use: use), use, value, template)
      } catch {
        precondition(!"\(error)".isEmpty)
      }
    }
  }

  private static func fill(_ template: NameTemplate, _ use: NameTemplate.Use, _ value: String, _ text: String) throws {
    var metadata = PictureMetadata()
    for name in ["Artist", "Model", "DateTimeOriginal", "GPSPosition"] { metadata.exif[name] = .text(value) }
    metadata.exif["FNumber"] = .number(Double(value.utf8.count))
    metadata.exif["ISO"] = .integer(value.utf8.count)
    let file = PictureFile(
      InternedPath("folder/my.photo.JPG"), codecs: CodecCache { _ throws(PictureError) in throw .codec(.empty) })
    let picture = Picture(.source(file, orient: true, acceptsDamage: false), position: nil, origin: file)
    let info = Picture.Info(
      layout: PictureLayout(width: 640, height: 48, format: .rgb8), metadata: metadata, codec: "jpeg", operation: nil)
    _ = template.ordinaryText
    if let text = template.runningTextWithoutPicture {
      _ = text.text(page: 3, pageCount: text.needsPageCount ? 9 : nil)
    }
    if use == .path {
      let name = try template.fileName(for: picture, info: info, index: 7)
      // A picture's values end no path.
      precondition(text.utf8.contains(0) || !name.path.utf8.contains(0))
    } else {
      var missing = NameTemplate.Gaps()
      _ = try template.caption(for: picture, info: info, index: 7, missing: &missing)
      _ = try template.text(for: picture, info: info, index: 7, use: use)
    }
  }
}

/// A pattern for paths. It is expanded only: what it finds is the machine's.
enum PatternReading {
  private struct Enough: Error {}

  static func read(_ bytes: [UInt8]) {
    var left = 1 << 20
    let alternatives = try? FilePattern.expand(String(decoding: bytes, as: UTF8.self)) { (count) throws(Enough) in
      left -= count
      guard left > 0 else { throw Enough() }
    }
    for alternative in alternatives ?? [] { _ = PathName.parts(alternative) }
  }
}
