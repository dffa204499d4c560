import ImageCore

/// Writes one picture file.
final class FileWriter: TaskOutput {
  private let output: FileOutput
  private let run: RunProgress
  private var file: OutputFile?
  private var adapter: FormatAdapter?
  /// The whole file, if it is wrapped or restored, see `SourceUse`; nil if the source is copied or the picture encoded.
  private var made: EncodedBytes?
  /// Whether the file was made from an output of an earlier run.
  private var isTaken = false
  /// The reason why the file could not be made from the source's bytes. It is reported once the picture is encoded.
  private var note: Diagnostic?
  private var layout: PictureLayout?
  /// The encoder that finds the quality; nil without a goal.
  private var search: GoalEncoder?
  /// The gain map that follows the picture in the file, and the encoded picture, which must stay in memory until the
  /// map is written; nil without a map.
  private var gainMap: (output: GainMapOutput, picture: PooledSink)?
  var job: Job { output.job }
  var traceName: String { output.use == nil && !isTaken ? "encode " + output.format.codec.name : "copy file" }

  init(_ output: FileOutput, _ run: RunProgress) {
    self.output = output
    self.run = run
  }

  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError) {
    var file = try newFile()
    self.file = file
    layout = node.layout
    if let earlier = output.earlier {
      isTaken = take(earlier, to: file, node, context)
      if isTaken { return }
      file.discard()
      file = try newFile()
      self.file = file
    }
    // The rows of a copied picture are only decoded to check that the source is complete.
    if output.copiesSource != nil { return }
    made = try bytesOfSource(node, context)
    if made != nil { return }
    let format = output.format
    let target = format.codec.encodedLayout(for: node.layout, format.arguments)
    let own = try output.picture.readMetadata()
    var (metadata, losses) = format.codec.writtenMetadata(
      own, for: target, arguments: format.arguments)
    if losses.contains(.gainMap), let map = try GainMapOutput(output.picture, to: format, run.environment, context) {
      metadata.xmp = map.xmp(metadata.xmp)
      gainMap = (map, PooledSink(reserving: target.byteCount / 8))
      losses.removeAll { $0 == .gainMap }
    }
    run.add(losses, of: output.picture)
    let encoder: any PictureEncoder =
      if let goal = format.goal {
        searching(GoalEncoder(goal, format, to: file, layout: target, metadata: metadata, context: context))
      } else {
        try format.codec.makeEncoder(
          to: gainMap?.picture ?? file, layout: target, metadata: metadata, arguments: format.arguments,
          context: context)
      }
    let conversion = try FormatConversion(
      from: node.layout.format, to: target.format, showing: format.background,
      on: own.iccProfile, context)
    adapter = FormatAdapter(encoder, conversion, width: node.layout.width, to: target)
    layout = target
  }

  private func newFile() throws(PictureError) -> OutputFile {
    try OutputFile(
      path: output.path, place: output.place, hashed: output.hashed, key: output.hashed == nil ? nil : output.key,
      scheduler: run.scheduler)
  }

  /// Writes the output with the encoded pixels of an earlier output. Returns false if that is not possible; the picture
  /// must then be encoded.
  private func take(
    _ earlier: EarlierFile, to file: OutputFile, _ node: PlanNode, _ context: OperationContext
  ) -> Bool {
    guard let input = earlier.open() else { return false }
    let (codec, arguments) = (output.format.codec, output.format.arguments)
    let target = codec.encodedLayout(for: node.layout, arguments)
    do throws(PictureError) {
      if earlier.hasMetadata {
        try file.copy(input)
      } else {
        let (metadata, losses) = codec.writtenMetadata(
          try output.picture.readMetadata(), for: target, arguments: arguments)
        guard !losses.contains(.gainMap),
          try codec.rewrite(
            input, to: file, layout: target, metadata: metadata, arguments: arguments, context: context)
        else { return false }
        run.add(losses, of: output.picture)
      }
    } catch {
      return false
    }
    if output.use == nil { layout = target }
    return earlier.isUnchanged(input)
  }

  /// Returns the file made from the source's bytes; nil if the picture has to be encoded. If the bytes cannot be used,
  /// a note gives the reason.
  private func bytesOfSource(_ node: PlanNode, _ context: OperationContext) throws(PictureError) -> EncodedBytes? {
    guard let use = output.use, let source = output.picture.origin else { return nil }
    do throws(PictureError) {
      if use == .restored { return try source.storedPage(context).bytes }
      return try output.format.codec.wrap(
        source.open(), node.layout, arguments: output.format.arguments, context: context)
    } catch .codec(let reason) {
      let consequence = use == .wrapped ? "its pixels are encoded without loss" : "its pixels are encoded as JPEG"
      note = Diagnostic(
        .output, at: output.position, subject: "save", file: source.path, message: "note: \(reason); \(consequence)")
      return nil
    }
  }

  /// Whether the writer needs rows. It does, unless the file was made from the source's bytes or an earlier output.
  var needsRows: Bool { made == nil && !isTaken }

  private func searching(_ encoder: GoalEncoder) -> GoalEncoder {
    search = encoder
    return encoder
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try adapter?.write(count, from: rows, stride: stride)
  }

  func finish() throws(PictureError) {
    if isTaken { return try commit(layout) }
    if let source = output.copiesSource {
      try copy(source)
    } else if let made {
      try made.withUnsafeBytes { (bytes) throws(PictureError) in try file!.write(bytes) }
    } else {
      try adapter!.finish()
      if let gainMap { try file!.write(gainMap.output.file(gainMap.picture.bytes)) }
      if let note { run.observer(.note(note)) }
    }
    try commit(layout)
  }

  /// Copies the source. A source with faults is repaired, or encoded in another pass: see `again`.
  private func copy(_ source: PictureFile) throws(PictureError) {
    guard source.hasFaults else { return try file!.copy(source) }
    // A repaired file may exceed its size goal.
    let isMended = output.format.goal == nil ? try source.mend(to: file!) : false
    let remedy = isMended ? "mended without loss instead of copied" : "encoded instead of copied"
    run.add(OperationNote(operation: "save", text: "a file with faults is \(remedy)"), of: source.path)
    if !isMended { throw .codec(.refused("has faults that a copy would hand on")) }
  }

  private func commit(_ layout: PictureLayout?) throws(PictureError) {
    try file!.commit(run.files)
    run.outputEnded(
      job, output.index, byteCount: file!.byteCount, failure: nil, path: file!.path, layout: layout,
      quality: search?.found)
  }

  /// Returns the output for another pass over the picture; nil if another pass would not help. If a copy would contain
  /// the source's faults, the output is encoded instead. If the encoder's process may have caused the failure, the
  /// output is tried again unchanged.
  func again() -> FileOutput? {
    if let source = output.copiesSource, source.hasFaults {
      file?.discard()
      return output.encoded
    }
    guard let adapter, adapter.mayPassAfresh else { return nil }
    file?.discard()
    return output
  }

  func fail(_ error: PictureError, at node: PlanNode?) {
    file?.discard()
    run.outputFailed(job, output.index, error, at: node, of: output.picture, path: output.path)
  }
}

extension OutputFile {
  package func write(_ bytes: [UInt8]) throws(PictureError) {
    try bytes.withUnsafeBytes { bytes in Result { () throws(PictureError) in try write(bytes) } }.get()
  }

  func copy(_ source: PictureFile) throws(PictureError) { try copy(source.open()) }

  func copy(_ input: InputFile) throws(PictureError) {
    var offset = 0
    while offset < input.byteCount {
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try input.bytes(at: offset, count: min(256 << 10, input.byteCount - offset))
      } catch {
        throw .file(error)
      }
      guard !bytes.isEmpty else { throw .codec(.truncated) }
      try write(bytes)
      offset += bytes.count
    }
  }
}
