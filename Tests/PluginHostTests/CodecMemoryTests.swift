import Foundation
import ImageCore
import PluginCodecs
import PluginHost
import TestSupport
import Testing

extension PluginHostTests {
  /// Decodes damaged files of every format in two workers whose new memory has different contents. The results must be
  /// the same pixels or an error, because memory that a library leaves unset must never reach a picture.
  @Suite(.unsanitized, .wholeRuns) struct CodecMemoryTests {
    /// The damaged files of a format: a few, or all of a thorough run.
    private static let mutants = isThorough ? 1_000 : 20

    /// The plugin of a format, and the folder of its fixtures.
    private static let formats = [
      "heif", "avif", "jpegxl", "jpeg2000", "webp", "tiff", "gif", "raw", "svg", "pdf", "jpeg", "png",
    ]

    /// Files that take seconds.
    private static let slow: Set<String> = [
      "uses.svg", "entities.svg", "alpha_triangles.jxl", "alpha_premultiplied.jxl",
    ]

    private func codec(_ name: String, _ body: (PluginCodec) throws -> Void) throws {
      var configuration = PluginHost.Configuration(
        searchPath: [PluginFolder(path: Built.folder, files: .installed)], worker: Built.worker)
      configuration.deadline = patience
      let host = PluginHost(configuration)
      defer { host.invalidate() }
      try body(#require(CodecRegistry(host).all.first { $0.name == name }))
    }

    private func samples(_ name: String) throws -> [CodecCheck.Sample] {
      let isHosts = name == "jpeg" || name == "png"
      let folder =
        isHosts ? Built.root + "/Tests/ImageCodecsTests/Fixtures" : Built.fixtures + "/Codecs/" + name
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let ends = isHosts ? [name == "jpeg" ? ".jpg" : ".png"] : []
      return names.filter { file in
        !file.hasSuffix(".md") && !file.hasSuffix(".py") && !Self.slow.contains(file)
          && (ends.isEmpty || ends.contains { file.hasSuffix($0) })
      }.compactMap { file in
        let bytes = [UInt8](FileManager.default.contents(atPath: folder + "/" + file) ?? Data())
        return bytes.count < 200_000 ? CodecCheck.Sample(name: file, bytes: bytes) : nil
      }
    }

    @Test(arguments: formats) func damagedFilesShowNothingThatWasNotWritten(_ name: String) throws {
      try codec(name) { codec in try compare(codec, samples(name)) }
    }

    private func compare(_ codec: PluginCodec, _ samples: [CodecCheck.Sample]) throws {
      let comparison = try #require(MemoryComparison(codec))
      try #require(!samples.isEmpty)
      for number in 1...Self.mutants {
        let sample = samples[number % samples.count].mutant(number)
        // Accepted damage shows most of what was left undone.
        let acceptsDamage = number % 2 == 0
        let difference = comparison.difference(sample, acceptsDamage: acceptsDamage)
        #expect(difference == nil, "\(sample.name)\(acceptsDamage ? ", damage accepted" : "")")
      }
    }

    /// The comparison finds a codec that reads unset memory.
    @Test func aCodecThatReadsUnsetMemoryIsFound() throws {
      let folder = try Built.plugin("oddcodec")
      var configuration = PluginHost.Configuration(searchPath: [PluginFolder(path: folder)], worker: Built.worker)
      configuration.deadline = patience
      let host = PluginHost(configuration)
      defer { host.invalidate() }
      let codec = try #require(CodecRegistry(host).all.first)
      let comparison = try #require(MemoryComparison(codec))
      func sample(_ how: String) -> CodecCheck.Sample { CodecCheck.Sample(name: how, bytes: Array("odd:\(how)".utf8)) }
      for (how, isFound) in [("good", false), ("unset-block", true), ("unset-stack", true), ("fail-read", false)] {
        #expect((comparison.difference(sample(how), acceptsDamage: false) != nil) == isFound, "\(how)")
      }
      var check = CodecCheck(codec)
      let verdict = check.run([sample("unset-block")])
      #expect(verdict.rows.first { $0.property == .unset }?.state == .bad, "\(verdict)")
    }

    @Test func anEmptySampleIsAFault() throws {
      let folder = try Built.plugin("oddcodec")
      let host = PluginHost(
        PluginHost.Configuration(searchPath: [PluginFolder(path: folder)], worker: Built.worker))
      defer { host.invalidate() }
      var check = CodecCheck(try #require(CodecRegistry(host).all.first))
      let verdict = check.run([CodecCheck.Sample(name: "empty", bytes: [])])
      #expect(verdict.rows.first { $0.property == .repeatable }?.detail.hasPrefix("empty cannot be read") == true)
      let rewriting = verdict.rows.first { $0.property == .rewriting }
      #expect(rewriting?.state == .bad && rewriting?.detail.hasSuffix("other bytes than encoding gives") == true)
    }

    /// What libtiff rewrites equals what it encodes.
    @Test func rightRewritingIsGood() throws {
      let host = PluginHost(
        PluginHost.Configuration(
          searchPath: [PluginFolder(path: Built.folder, files: .installed)], worker: Built.worker))
      defer { host.invalidate() }
      var check = CodecCheck(try #require(CodecRegistry(host).all.first { $0.name == "tiff" }))
      let rewriting = check.run([]).rows.first { $0.property == .rewriting }
      #expect(rewriting?.state == .good, "\(String(describing: rewriting))")
    }

    /// A crash is told beside each kind of damage that leads to one: here, a file that ends after the fourth word.
    @Test func aCrashIsTiedToItsDamage() throws {
      let folder = try Built.plugin("oddcodec")
      let host = PluginHost(
        PluginHost.Configuration(searchPath: [PluginFolder(path: folder)], worker: Built.worker))
      defer { host.invalidate() }
      var check = CodecCheck(try #require(CodecRegistry(host).all.first))
      let how = "crash-read" + String(repeating: "x", count: 50)
      let verdict = check.run([CodecCheck.Sample(name: "long", bytes: Array("odd:\(how)".utf8))])
      let bad = verdict.rows.filter { $0.state == .bad && $0.detail.contains("crashed") }.map(\.property)
      #expect(bad == [.crash, .truncated, .falseSizes], "\(verdict)")
    }
  }
}
