import ImageCore

/// Writes one picture file.
final class FileWriter: TaskOutput {
  private let output: FileOutput
  private let run: RunProgress
  private var file: OutputFile?
  private var adapter: FormatAdapter?
  private var layout: PictureLayout?
  var job: Job { output.job }
  var traceName: String { output.copiesSource == nil ? "encode " + output.format.codec.name : "copy file" }

  init(_ output: FileOutput, _ run: RunProgress) {
    self.output = output
    self.run = run
  }

  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError) {
    let file = try OutputFile(
      path: output.path, place: output.place, scheduler: run.scheduler)
    self.file = file
    layout = node.layout
    // The rows are only decoded to see that the file is whole.
    if output.copiesSource != nil { return }
    let format = output.format
    let target = format.codec.encodedLayout(for: node.layout)
    let (metadata, losses) = format.codec.writtenMetadata(
      output.picture.metadata(), for: target, arguments: format.arguments)
    run.add(losses, of: output.picture)
    let encoder: any PictureEncoder =
      if let goal = format.goal {
        GoalEncoder(goal, format, to: file, layout: target, metadata: metadata, context: context)
      } else {
        try format.codec.makeEncoder(
          to: file, layout: target, metadata: metadata, arguments: format.arguments, context: context)
      }
    adapter = FormatAdapter(
      encoder, from: node.layout, to: target, background: format.background)
    layout = target
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try adapter?.write(count, from: rows, stride: stride)
  }

  func finish() throws(PictureError) {
    if let source = output.copiesSource {
      try file!.copy(source)
    } else {
      try adapter!.finish()
    }
    try commit(layout)
  }

  private func commit(_ layout: PictureLayout?) throws(PictureError) {
    try file!.commit(run.files)
    run.outputEnded(job, output.index, byteCount: file!.byteCount, failure: nil, path: output.path, layout: layout)
  }

  func fail(_ error: PictureError, at node: PlanNode?) {
    file?.discard()
    run.outputEnded(
      job, output.index, byteCount: nil,
      failure: Diagnostic(
        error, at: node,
        of: FailedOutput(
          path: output.path, picture: output.picture, job: job,
          consequence: "'\(printable(output.path))' is not written"), run),
      path: output.path)
  }
}

extension OutputFile {
  /// Copies a picture file's bytes.
  func copy(_ source: PictureFile) throws(PictureError) {
    let input = try source.open()
    var offset = 0
    while offset < input.byteCount {
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try input.bytes(at: offset, count: min(256 << 10, input.byteCount - offset))
      } catch {
        throw .file(error)
      }
      guard !bytes.isEmpty else { throw .codec(.truncated) }
      var failure: PictureError?
      bytes.withUnsafeBytes { buffer in
        do throws(PictureError) {
          try write(buffer)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      offset += bytes.count
    }
  }
}
