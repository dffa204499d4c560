import ImageCore
import ImagePipeline
import Platform

/// The records that a merge consults, so that it does not replace books that another program has changed. A merge makes
/// every book, and records the books at its end; see `RunRecords.note`. In case it is killed earlier, it also notes
/// in the journal each book that already has a record, before the book's file receives its final name.
package final class MergeRecords: OutputRecords {
  private let records: RunRecords
  /// The journal of whole runs, locked; nil if it cannot be written, or if a run is using it.
  private let journal: RunJournal?

  /// - Parameter overwrites: whether to replace books that another program has changed.
  /// - Returns: nil if there are no records.
  /// - Throws: the reason why the records cannot be used.
  package init?(outputFolder: String, script: String, isFile: Bool, overwrites: Bool) throws(RunRecords.Problem) {
    guard RunRecords.exist(outputFolder: outputFolder, script: script, isFile: isFile, ofShards: false) else {
      return nil
    }
    var folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    if let moved = folder.movedMark { folder.scriptMark = moved }
    // The lock is taken before the records are read.
    journal = folder.folder.link == nil ? try? folder.lockedJournal(nil) : nil
    var options = RunRecords.Options()
    // A dry run never rewrites the file of records. The records of shards are not needed: they contain no books.
    (options.isDryRun, options.readsShards, options.overwrites) = (true, false, overwrites)
    records = try RunRecords(
      outputFolder: outputFolder, script: script, isFile: isFile, options, aroundWait: nil, explain: { _, _ in })
    journal?.trim()
  }

  package func note(key: String?, path: String, at place: InternedPath, _ file: stat) throws(PictureError) -> Int32? {
    let folder = records.folder
    // A book without a record cannot count as changed. Other files, such as a manifest, have no records.
    guard let known = records.earlier[folder.key(key ?? path)] else { return nil }
    if !records.options.overwrites, records.condition(of: known) == .edited {
      throw .operation(.protected(RunRecords.refusal))
    }
    guard let journal else { return nil }
    let output = RecordedOutput(ofMerge: known.key, path: folder.place(of: path), FileStamp(file))
    if !journal.add(output) { throw .file(FileError(.write, path: folder.journalPath, code: errno)) }
    return journal.descriptor
  }

  package func verdicts(
    on outputs: PlannedOutputs, digest: @escaping @Sendable (String) -> PictureDigest?
  ) -> [OutputVerdict] { outputs.map { _ in .make } }

  package func pageJournal(of key: String, for file: OutputFile) -> PageJournal? { nil }
  package func read(_ path: String, _ version: FileVersion, _ digest: SHA256Digest) {}
  package func measurement(_ recipe: OutputRecipe, digest: @escaping @Sendable (String) -> PictureDigest?)
    -> ParameterValue?
  { nil }
  package func keep(_ value: ParameterValue, of recipe: OutputRecipe) {}
  package func checkName(_ place: InternedPath) throws(PictureError) { try records.checkName(place) }
  package func willShow(_ place: InternedPath, _ file: stat) throws(PictureError) { try records.checkName(place) }
  package func hasShown(_ place: InternedPath) {}
  package func keeps(_ place: InternedPath, _ path: String) -> Bool { false }
}
