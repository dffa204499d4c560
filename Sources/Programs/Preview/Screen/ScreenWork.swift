import BookComposing
import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// The rendering of one picture or page for a screen, all in one step.
final class ScreenWork: Work {
  private let target: ScreenTarget
  private let renderer: ScreenRenderer
  private let qos: QualityOfService
  private let cancellation: CancellationToken
  private let completion: @Sendable (Result<ScreenImage, ScreenFailure>) -> Void

  init(
    _ target: ScreenTarget, _ renderer: ScreenRenderer, _ qos: QualityOfService, _ cancellation: CancellationToken,
    _ completion: @escaping @Sendable (Result<ScreenImage, ScreenFailure>) -> Void
  ) {
    self.target = target
    self.renderer = renderer
    self.qos = qos
    self.cancellation = cancellation
    self.completion = completion
  }

  var isCancelled: Bool { cancellation.isCancelled }
  var isDivided: Bool { false }
  var name: String { "picture on screen" }

  func abandon(_ reason: CancellationReason) { completion(.failure(.cancelled)) }

  func step() -> WorkStep {
    do throws(ScreenFailure) {
      completion(.success(try image()))
    } catch {
      completion(.failure(error))
    }
    return .finished
  }

  private var context: OperationContext {
    let (token, scheduler, qos) = (cancellation, renderer.scheduler, qos)
    // All idle workers help with a picture that the user waits for.
    return OperationContext(
      parallelism: qos >= .userInitiated ? scheduler.configuration.workers : 1,
      parallelFor: { count, body in scheduler.parallelFor(count, qos: qos, body) },
      isCancelled: { token.isCancelled }, allowPreemption: { scheduler.allowPreemption($0) },
      colours: renderer.environment.colours)
  }

  private func image() throws(ScreenFailure) -> ScreenImage {
    switch target.content {
    case .picture(let chain):
      let frame = try self.frame(chain)
      return try failing(chain.end.picture) { () throws(PictureError) in
        try ScreenImage(frame, self.renderer.environment.codecs, self.context)
      }
    case .page(let drawing, let index, let pictures, let dotsPerInch):
      return try page(drawing, index, pictures, dotsPerInch)
    }
  }

  /// Returns the pixels of a chain's end. Keeps them and those of the steps in `chain.kept` for later images.
  private func frame(_ chain: ScreenTarget.Chain) throws(ScreenFailure) -> PixelBuffer {
    if let known = renderer.frames[chain.end.key] { return known }
    var kept: [(picture: Picture, pixels: PixelBuffer)] = []
    for step in chain.kept {
      let frame: PixelBuffer
      if let known = renderer.frames[step.key] {
        frame = known
      } else {
        frame = try make(step.picture, kept)
        renderer.frames.keep(frame, as: step.key)
      }
      kept.append((step.picture, frame))
    }
    let frame = try make(chain.end.picture, kept)
    renderer.frames.keep(frame, as: chain.end.key)
    renderer.noteMade(chain.keys)
    return frame
  }

  private func make(_ picture: Picture, _ kept: [(picture: Picture, pixels: PixelBuffer)])
    throws(ScreenFailure) -> PixelBuffer
  {
    let made: DirectPicture
    do throws(Picture.Problem) {
      made = try DirectPicture(picture, renderer.environment, kept: kept)
    } catch { throw Self.failure(error, picture) }
    let byteCount = made.byteCount + PixelBuffer.byteCount(made.layout)
    guard byteCount <= renderer.memoryLimit else {
      throw .failed(
        Diagnostic(
          .output, at: picture.position, file: picture.origin?.path,
          message: "cannot be shown: it needs about \(PlanText.megabytes(byteCount)) MB of memory"))
    }
    let context = context
    return try withStack(forDepth: picture.depth) { () throws(ScreenFailure) in
      do throws(DirectPicture.Failure) {
        return try made.read(context) { rows throws(PictureError) in try rows.readAll(context) }
      } catch {
        throw Self.failure(error, picture)
      }
    }
  }

  private static func failure(_ failure: DirectPicture.Failure, _ picture: Picture) -> ScreenFailure {
    if failure.error == .cancelled { return .cancelled }
    let step = failure.step
    let path = step.map(\.path) ?? picture.origin?.path ?? ""
    return .failed(
      Diagnostic(
        .output, at: step?.position ?? picture.position, subject: step?.name, file: path.isEmpty ? nil : path,
        message: failure.error.description))
  }

  private static func failure(_ problem: Picture.Problem, _ picture: Picture) -> ScreenFailure {
    if case .diagnostic(let diagnostic) = problem { return .failed(diagnostic) }
    return .failed(Diagnostic(.input, at: picture.position, message: "cannot be shown because of the mistakes above"))
  }

  private func failing<Value>(_ picture: Picture?, _ body: () throws(PictureError) -> Value)
    throws(ScreenFailure) -> Value
  {
    do throws(PictureError) { return try body() } catch {
      if error == .cancelled { throw .cancelled }
      throw .failed(
        Diagnostic(
          .output, at: picture?.position, file: picture?.origin?.path, message: error.description))
    }
  }
}

/// The rendering of pages: their pictures are rendered and placed on a page of a PDF, which the PDF codec then draws.
extension ScreenWork {
  private func page(
    _ drawing: BookDrawing, _ index: Int, _ pictures: [ScreenTarget.Chain?], _ dotsPerInch: Double
  ) throws(ScreenFailure) -> ScreenImage {
    if let known = renderer.frames[target.key] {
      return try failing(nil) { () throws(PictureError) in
        try ScreenImage(known, self.renderer.environment.codecs, self.context)
      }
    }
    let context = context
    var encoded: [EncodedBytes?] = []
    var focuses: [CropFocus?] = []
    for (place, chain) in pictures.enumerated() {
      guard let chain else {
        encoded.append(nil)
        focuses.append(nil)
        continue
      }
      let frame = try self.frame(chain)
      encoded.append(
        try failing(chain.end.picture) { () throws(PictureError) in
          try ScreenImage.jpeg(frame, self.renderer.environment.codecs, context)
        })
      focuses.append(
        try failing(chain.end.picture) { () throws(PictureError) in
          try drawing.focus(ofPicture: place, on: index, self.renderer.environment, context)
        })
    }
    let frame = try drawn(drawing, index, encoded, focuses, dotsPerInch)
    renderer.frames.keep(frame, as: target.key)
    return try failing(nil) { () throws(PictureError) in
      try ScreenImage(frame, self.renderer.environment.codecs, context)
    }
  }

  /// Writes the page into a file of its own, and reads that file with the codec for PDF.
  private func drawn(
    _ drawing: BookDrawing, _ index: Int, _ pictures: [EncodedBytes?], _ focuses: [CropFocus?],
    _ dotsPerInch: Double
  ) throws(ScreenFailure) -> PixelBuffer {
    return try failing(nil) { () throws(PictureError) in
      // A file without a name is invisible to other users, and disappears when it is closed.
      let descriptor = makeMemoryFile("page.pdf")
      let path = "/dev/fd/\(descriptor)"
      guard descriptor >= 0 else { throw .file(FileError(.create, path: "page.pdf", code: errno)) }
      defer { close(descriptor) }
      try drawing.draw(page: index, pictures: pictures, focuses: focuses, to: descriptor)
      let options = RawArguments(named: [("dpi", .number(dotsPerInch))])
      let file = PictureFile(
        InternedPath(path), codecs: self.renderer.codecs, PageSelection(page: 1, options: options))
      let picture = Picture(.source(file, orient: true, acceptsDamage: false), position: drawing.position)
      let context = self.context
      do {
        return try DirectPicture(picture, self.renderer.environment).read(context) { rows throws(PictureError) in
          try rows.readAll(context)
        }
      } catch let failure as DirectPicture.Failure {
        throw failure.error
      } catch Picture.Problem.diagnostic(let diagnostic) {
        throw .operation(.unsuitable(diagnostic.message))
      } catch {
        throw .operation(.unsuitable("the page cannot be drawn"))
      }
    }
  }
}
