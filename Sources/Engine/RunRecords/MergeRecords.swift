import ImageCore
import ImagePipeline
import Platform

/// The records that a merge consults, so that it does not replace books that another program has changed. A merge makes
/// every book, and records the books at its end; see `RunRecords.note`.
package final class MergeRecords: OutputRecords {
  private let records: RunRecords

  /// - Returns: nil if there are no records, or if they are not trusted.
  package init?(outputFolder: String, script: String, isFile: Bool) {
    guard RunRecords.exist(outputFolder: outputFolder, script: script, isFile: isFile, ofShards: false) else {
      return nil
    }
    var options = RunRecords.Options()
    // The merge writes no records, and shards do not record books.
    (options.isDryRun, options.readsShards) = (true, false)
    do throws(RunRecords.Problem) {
      records = try RunRecords(
        outputFolder: outputFolder, script: script, isFile: isFile, options, onWait: nil, explain: { _, _ in })
    } catch {
      return nil
    }
  }

  package func note(key: String?, path: String, at place: InternedPath, _ file: stat) throws(PictureError) -> Int32? {
    let known = records.earlier[records.folder.key(path)]
    if let known, records.condition(of: known) == .edited { throw .operation(.protected(RunRecords.refusal)) }
    return nil
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
  package func willShow(_ place: InternedPath, _ file: stat) {}
  package func hasShown(_ place: InternedPath) {}
}
