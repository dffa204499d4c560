import ImageCodecs
import ImageCore
import PluginHost
import Synchronization

/// The codec plugins on the search path, in addition to the formats that this process reads itself. The path is
/// searched when a codec is first needed. May be used from any thread.
package final class CodecRegistry: Sendable {
  private let host: PluginHost
  private let isolation: CodecIsolation
  private let found = Mutex<[PluginCodec]?>(nil)

  package init(_ host: PluginHost, isolation: CodecIsolation = .codecs) {
    self.host = host
    self.isolation = isolation
  }

  /// The name of the plugin that converts colours. Its files are not pictures: see `ProfileConverter`.
  package static let colourName = "colour"

  /// All codec plugins for picture files, sorted by name.
  package var all: [PluginCodec] {
    found.withLock { found in
      if let found { return found }
      let codecs = host.codecs().filter { $0.description.name != Self.colourName }.map { (plugin) -> PluginCodec in
        let base = CodecList.codec(named: plugin.description.name)
        // A base that can decode in this process is ignored, so that only the plugin reads the file.
        return PluginCodec(plugin: plugin, base: base?.reasonNotToDecode == nil ? nil : base)
      }.sorted { $0.name < $1.name }
      found = codecs
      return codecs
    }
  }

  /// The codec that computes conversions between colour profiles; nil if its plugin is not installed.
  var colour: PluginCodec? { host.codec(named: Self.colourName).map { PluginCodec(plugin: $0, base: nil) } }

  /// The formats that `--isolate all` should decode in workers, but whose plugins are missing.
  package var missing: [String] {
    guard isolation == .all else { return [] }
    let own = ShippedCodec.all.map(\.name).filter { name in
      CodecList.codec(named: name).map { $0.reasonNotToDecode == nil } ?? false
    }
    return own.filter { name in !all.contains { $0.name == name && $0.reads } }
  }

  /// Returns the codec for a file, determined by its first bytes and not by its name.
  ///
  /// - Throws: `CodecError.empty` and `.notRecognised`, and read errors.
  package func recognise(_ file: InputFile) throws(PictureError) -> any PictureCodec {
    let failure: PictureError
    do throws(PictureError) {
      let codec = try CodecList.recognise(file)
      guard codec.reasonNotToDecode != nil || isolation == .all else { return codec }
      if let plugin = all.first(where: { $0.name == codec.name && $0.reads }) { return plugin }
      return codec
    } catch { failure = error }
    guard case .codec(.notRecognised(let kind, _)) = failure else { throw failure }
    let prefix: [UInt8]
    do throws(FileError) {
      prefix = try file.bytes(at: 0, count: FileSignature.byteCount)
    } catch { throw .file(error) }
    let candidates = all.compactMap { codec in codec.precision(prefix).map { (codec, $0) } }
      .sorted { $0.1 > $1.1 }.map(\.0)
    // The shipped codec that reads files of this kind, if its plugin is not installed.
    let missing = ShippedCodec.all.first { shipped in
      kind.map(shipped.kinds.contains) ?? false && !all.contains { $0.name == shipped.name }
    }
    // RAW files begin like TIFF files, so every candidate except the last must confirm the format. The last one must,
    // too, if the plugin intended for the file is missing: HEIC files begin like AVIF files.
    for codec in missing == nil ? candidates.dropLast() : candidates[...] {
      do throws(PictureError) {
        _ = try codec.readHeader(file)
      } catch .codec(.notRecognised) {
        continue
      } catch { return codec }
      return codec
    }
    guard missing == nil, let last = candidates.last else {
      throw .codec(.notRecognised(looksLike: kind, remedy: missing.map(remedy)))
    }
    return last
  }
}

extension CodecRegistry {
  /// Returns advice on what to install so that files with this extension can be written; nil if no shipped plugin
  /// writes the format.
  package func remedy(writing name: String) -> String? {
    ShippedCodec.all.first { $0.written.contains(name) }.map(remedy)
  }

  /// Returns advice on installing what a format lacks: its plugin, or a library that the plugin needs.
  private func remedy(for codec: ShippedCodec) -> String {
    guard let refused = host.refusals(ofPlugin: codec.name).first, let refusal = refused.refusal else {
      let portable = codec.package.hasSuffix("-gpl") ? " (imghost-gpl of the portable files)" : ""
      return "install the package \(codec.package)\(portable), or \(codec.file) beside imghost"
    }
    guard case .failure(.cannotLoad) = refused.outcome else { return refusal }
    return "\(refusal); the package \(codec.package) brings the libraries that it needs"
  }
}

/// The decoders that run in confined workers, as selected by the option `--isolate`.
package enum CodecIsolation: String, Sendable, CaseIterable {
  /// Decoders of plugins.
  case codecs
  /// All decoders, including JPEG and PNG.
  case all
}
