import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Testing

@testable import BookComposing

/// Books whose writer cannot store one of the pictures.
struct BookFailureTests {
  /// Makes a book of four pictures. Returns the book's contents, nil if there is no book, and the messages.
  private func book(_ failure: BookFailure, _ onError: RunOptions.OnError) throws
    -> (text: String?, messages: [String])
  {
    var template = Array("/tmp/imghost-book-XXXXXX".utf8CString)
    let folder = String(cString: mkdtemp(&template))
    defer { rmdir(folder) }
    let scheduler = Scheduler(.init(workers: 2, memoryBudget: 1 << 30))
    scheduler.activate()
    defer { scheduler.invalidate() }
    var options = RunOptions()
    options.outputFolder = folder
    options.onError = onError
    let messages = Monitor([String]())
    let run = Run(
      environment: .books(.letters(failure)), options: options,
      scheduler: scheduler, cancellation: CancellationToken(),
      observer: { event in
        if case .failed(let diagnostic) = event { messages.withLock { $0.append(diagnostic.message) } }
      })
    let size = RawArguments(positional: [.integer(30), .integer(40)])
    _ = BookRequests(run).book(
      "b.pdf", of: (0..<4).map { _ in run.graph.canvas(size, at: nil) }, RawArguments(), at: nil)
    try run.settle()
    try? run.finish(onFinished: { _ in })
    let path = folder + "/b.pdf"
    defer { unlink(path) }
    let file = try? InputFile(path: path)
    let text = try file.map { String(decoding: try $0.bytes(at: 0, count: 10), as: UTF8.self) }
    return (text, messages.withLock { $0 })
  }

  /// If the file was replaced before its verification, the verifier's findings are not reported as the book's.
  @Test func aBookThatIsReplacedBeforeItIsVerified() throws {
    var template = Array("/tmp/imghost-book-XXXXXX".utf8CString)
    let folder = String(cString: mkdtemp(&template))
    let scheduler = Scheduler(.init(workers: 2, memoryBudget: 1 << 30))
    scheduler.activate()
    defer {
      scheduler.invalidate()
      for name in ["b.pdf", "c.pdf"] { unlink(folder + "/" + name) }
      rmdir(folder)
    }
    var tools = BookTools.letters(.document(.cancelled))
    tools.verify = { path, _, _ in
      // Another run is quicker than the verifier.
      if path.hasSuffix("b.pdf") {
        close(open(folder + "/new", O_CREAT | O_WRONLY, 0o600))
        rename(folder + "/new", path)
      }
      return VerificationOutcome(isVerified: false, summary: "pages were added")
    }
    var options = RunOptions()
    options.outputFolder = folder
    let run = Run(
      environment: .books(tools), options: options, scheduler: scheduler,
      cancellation: CancellationToken(), observer: { _ in })
    let size = RawArguments(positional: [.integer(30), .integer(40)])
    for name in ["b.pdf", "c.pdf"] {
      _ = BookRequests(run).book(
        name, of: [run.graph.canvas(size, at: nil)],
        RawArguments(named: [(name: "verify", value: .boolean(true))]), at: nil)
    }
    try run.finish(onFinished: { _ in })
    let told = run.jobs.map { $0.result.verification?.summary }
    #expect(told == [VerificationOutcome.replaced.summary, "pages were added"])
  }

  @Test func aPicturesFaultCostsItsPage() throws {
    let (text, messages) = try book(.picture(.codec(.truncated)), .continue)
    #expect(text == "acd")
    let reason = PictureError.codec(.truncated).description
    #expect(messages.contains { $0.hasPrefix(reason + "; page 2 is left out of '") })
    #expect(messages.contains("written without 1 of its 4 pages (2)"))
  }

  @Test func aPicturesFaultEndsABookThatStops() throws {
    let (text, messages) = try book(.picture(.codec(.truncated)), .stop)
    #expect(text == nil)
    let reason = PictureError.codec(.truncated).description
    #expect(messages.contains { $0.hasPrefix(reason) && $0.contains("--on-error continue leaves") })
  }

  @Test(arguments: [RunOptions.OnError.continue, .stop])
  func theBooksFaultEndsIt(onError: RunOptions.OnError) throws {
    let full = PictureError.file(FileError(.write, path: "b.pdf", code: ENOSPC))
    let (text, messages) = try book(.document(full), onError)
    #expect(text == nil)
    #expect(messages == [full.description])
  }
}
