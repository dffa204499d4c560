import ImageCore
import ImagePipeline
import Platform

/// Everything that a run depends on in addition to what its record contains. If nothing has changed in these inputs, in
/// the recorded sources and in the recorded outputs, running the script again would keep all outputs.
struct RunInputs {
  private static let magic = Array("IMGHINP1".utf8)

  /// The checksum of the record that the run has written or left unchanged.
  let record: SHA256Digest
  /// The digest of the command line, the script and the environment.
  let context: SHA256Digest
  /// The identifiers of code and fonts, see `RecipeFacts.Answers`.
  let code: [String: String]
  /// The lines that the script has printed.
  let printed: [String]
  /// The stamps of files and folders, by path; nil for a path that leads nowhere.
  let files: [(path: String, stamp: FileStamp?)]
  /// The outputs in the order of the script: the number of each in the record, and its path as the script spells it;
  /// the path is empty if the record spells it in the same way.
  let outputs: [(number: UInt32, path: String)]
}

extension RunInputs {

  /// Reads stored inputs; nil if they are damaged or have another format.
  init?(_ bytes: [UInt8]) {
    let end = bytes.count - 32
    guard end >= Self.magic.count, bytes.starts(with: Self.magic),
      SHA256Digest(bytes: bytes[end...]) == SHA256.digest(of: Array(bytes[..<end]))
    else { return nil }
    do throws(WireError) {
      var reader = WireReader(bytes[Self.magic.count..<end])
      guard let record = try reader.digest(), let context = try reader.digest() else { return nil }
      (self.record, self.context) = (record, context)
      let answers = try reader.list { (reader) throws(WireError) in (try reader.string(), try reader.string()) }
      code = Dictionary(answers, uniquingKeysWith: { $1 })
      printed = try reader.list { (reader) throws(WireError) in try reader.string() }
      files = try reader.list { (reader) throws(WireError) in
        (try reader.string(), try reader.integer(UInt8.self) == 0 ? nil : try reader.stamp())
      }
      outputs = try reader.list { (reader) throws(WireError) in
        (try reader.integer(UInt32.self), try reader.string())
      }
      try reader.finish()
    } catch {
      return nil
    }
  }

  var bytes: [UInt8] {
    var writer = WireWriter()
    writer.append(Optional(record))
    writer.append(Optional(context))
    writer.append(list: code.sorted { $0.key < $1.key }) { writer, answer in
      writer.append(answer.key)
      writer.append(answer.value)
    }
    writer.append(list: printed) { $0.append($1) }
    writer.append(list: files) { writer, file in
      writer.append(file.path)
      writer.append(UInt8(file.stamp == nil ? 0 : 1))
      if let stamp = file.stamp { writer.append(stamp) }
    }
    writer.append(list: outputs) { writer, output in
      writer.append(output.number)
      writer.append(output.path)
    }
    let bytes = Self.magic + writer.bytes
    return bytes + SHA256.digest(of: bytes).bytes
  }
}

/// Detects that nothing has changed since a run, without running the script again.
extension RunRecords {
  /// The result of a run that keeps all outputs.
  package struct UnchangedRun: Sendable {
    /// The lines that the script prints.
    package let printed: [String]
    package let outputs: [(path: String, byteCount: Int)]
  }

  /// Returns what running the script would report, if nothing has changed since the last run. In that case, the records
  /// are not used further: `finish` changes nothing. Nil, without any effect, if the script has to run.
  ///
  /// - Parameters:
  ///   - context: identifies the command line, the script and the environment.
  ///   - answer: returns the identifier of code or fonts, see `RecipeFacts.Answers`.
  package func unchangedRun(in context: SHA256Digest, answer: (String) -> String?) -> UnchangedRun? {
    guard journal != nil, !options.makesAll, !options.hashesAll, folder.shard == nil, shards.isEmpty, !wasInterrupted,
      let record = earlier.checksum, let inputs = folder.inputs, inputs.record == record, inputs.context == context,
      inputs.files.allSatisfy({ FileStamp(ofAnyFile: $0.path) == $0.stamp }),
      inputs.code.allSatisfy({ answer($0) == $1 })
    else { return nil }
    var outputs: [(path: String, byteCount: Int)] = []
    for (number, path) in inputs.outputs {
      guard let output = earlier[number: Int(number)], isUnchanged(output) else { return nil }
      outputs.append((path.isEmpty ? folder.folder.absolute(output.path) : path, output.totalByteCount))
    }
    state.withLock { $0.isLeftUnchanged = true }
    return UnchangedRun(printed: inputs.printed, outputs: outputs)
  }

  /// Returns whether an output is complete, and the stamps of its files and its sources are unchanged. False if files
  /// have to be read for the decision.
  func isUnchanged(_ output: RecordedOutput) -> Bool {
    guard !output.recipe.isEmpty, output.digest != nil, !isInDoubt(output) else { return false }
    if !output.folder.isEmpty {
      guard let tree = output.tree, FileDigest.tree(folder.folder.absolute(output.folder)) == tree else { return false }
    }
    for source in output.sources {
      guard source.digest != nil else { return false }
      let found = FileStamp.settled(path: source.path)
      guard found?.stamp == source.stamp, found?.isSettled != false else { return false }
    }
    return FileStamp(path: folder.folder.absolute(output.path)) == output.stamp
  }

  /// Whether `unchangedRun` has found that nothing has changed.
  package var isLeftUnchanged: Bool { state.withLock { $0.isLeftUnchanged } }

  /// Stores what a complete run depends on, so that a later run can find out that nothing has changed. Stores nothing
  /// if a change might go unnoticed. Called after `finish`.
  ///
  /// - Parameters:
  ///   - context: identifies the command line, the script and the environment.
  ///   - code: returns the identifiers of code and fonts that the run has needed. The argument is whether the script
  ///     has looked at pictures without making outputs from them; if so, the code that reads them is included.
  ///   - printed: the lines that the script has printed.
  ///   - further: the paths of further files and folders that the run depends on.
  package func storeInputs(
    of run: Run, in context: SHA256Digest, code: (Bool) -> [String: String], printed: [String], further: [String]
  ) {
    guard journal != nil, folder.shard == nil, !state.withLock({ $0.hasAlwaysDue }), let record = folder.record else {
      return
    }
    var pictures = run.graph.inputs.pictures
    var others = Set(record.outputs.indices)
    var outputs: [(number: UInt32, path: String)] = []
    var stamps: Set<FileStamp> = []
    for made in run.jobs.flatMap(\.result.outputs) {
      guard made.byteCount != nil, let (number, output) = record.find(folder.key(made.key)) else { return }
      let path = folder.folder.absolute(output.path)
      outputs.append((UInt32(number), path.utf8.elementsEqual(made.path.utf8) ? "" : made.path))
      // Outputs with equal stamps are one file. If one path became a link to the other, the stamps might not show it.
      guard stamps.insert(output.stamp).inserted else { return }
      others.remove(number)
      for source in output.sources { pictures.remove(InternedPath(source.path)) }
    }
    // A folder that was moved, or a link that was switched, makes a path lead to other files, which may be old.
    let seen = run.graph.inputs.searched.merging(run.graph.inputs.folders) { searched, _ in searched }
    guard seen.allSatisfy({ FileIdentity(at: $0.text) == $1 }) else { return }
    var places = pictures.union(run.graph.inputs.searched.keys)
    for path in further + run.graph.inputs.scripts { places.insert(InternedPath(path)) }
    // If another program restores an output that the script no longer makes, a run reports that.
    for number in others {
      guard let output = record.outputs[number] else { return }
      places.insert(InternedPath(folder.folder.absolute(output.path)))
    }
    var files: [(path: String, stamp: FileStamp?)] = []
    for place in places {
      let stamp = FileStamp(ofAnyFile: place.text)
      // A file that has changed since the start of the run may have been read before or after the change. What a pipe
      // contains is not known from its stamp.
      guard stamp?.isSettled(at: ProgramStart.time) ?? true,
        FileStamp(ofLink: place.text)?.isSettled(at: ProgramStart.time) ?? true,
        stamp == nil || !pictures.contains(place) || FileStamp(path: place.text) != nil
      else { return }
      files.append((place.text, stamp))
    }
    let code = code(!pictures.isEmpty)
    folder.write(
      RunInputs(
        record: record.checksum, context: context, code: code, printed: printed, files: files, outputs: outputs))
  }
}
