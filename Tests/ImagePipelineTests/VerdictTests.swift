import ImageCore
import Testing

@testable import ImagePipeline

/// A verdict about a file applies to the whole run.
@Suite struct VerdictTests {
  private enum Failure: Error { case crash, hang }
  private static let crash = PictureError.plugin(PluginFailure(plugin: "odd", cause: Failure.crash, inputs: []))
  private static let hang = PictureError.plugin(PluginFailure(plugin: "odd", cause: Failure.hang, inputs: []))

  private static func file() -> PictureFile {
    PictureFile(InternedPath("a.odd"), codecs: CodecCache { _ throws(PictureError) in throw .codec(.empty) })
  }

  private static func error(of file: PictureFile, _ body: () throws(PictureError) -> Void) -> PictureError? {
    do throws(PictureError) {
      try file.decode(body)
      return nil
    } catch { return error }
  }

  /// A decoding that runs when another one ends with a verdict is asked to stop, and ends with the same.
  @Test func aVerdictEndsDecodingsThatRun() {
    let file = Self.file()
    let context = file.judged(.serial)
    let error = Self.error(of: file) { () throws(PictureError) in
      try context.checkCancellation()
      #expect(Self.error(of: file) { () throws(PictureError) in throw Self.crash } == Self.crash)
      try context.checkCancellation()
      Issue.record("goes on")
    }
    #expect(error == Self.crash)
  }

  /// Of two that crash at once, the first one's words are those of both, and of all that follow.
  @Test func theFirstVerdictStands() {
    let file = Self.file()
    let error = Self.error(of: file) { () throws(PictureError) in
      _ = Self.error(of: file) { () throws(PictureError) in throw Self.hang }
      throw Self.crash
    }
    #expect(error == Self.hang)
    #expect(Self.error(of: file) { Issue.record("decodes again") } == Self.hang)
  }

  /// Other errors, and a job that was cancelled, say nothing about the next try.
  @Test(arguments: [PictureError.cancelled, .codec(.truncated)]) func otherErrorsAreNone(_ other: PictureError) {
    let file = Self.file()
    #expect(Self.error(of: file) { () throws(PictureError) in throw other } == other)
    #expect(!file.judged(.serial).isCancelled && Self.error(of: file) {} == nil)
  }
}
