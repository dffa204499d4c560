import ImageCore
import ImagePipeline

/// The records of a script that has been moved, or whose folder of outputs has been moved.
extension RecordFolder {
  /// Takes over the files of a whole run of the same script if the run has recorded them for another place: the path of
  /// the script relative to the folder of outputs has changed. Does nothing if the script has files for its own place, if
  /// several records could be those of the script, or while another run uses them.
  ///
  /// The record is that of the same script if it names the path of the script, or a path where no script is any more.
  ///
  /// - Parameter isDryRun: whether the files are only read.
  mutating func takeMoved(isDryRun: Bool) {
    guard !script.isEmpty, !exists, folder.link == nil, let names = try? folder.names() else { return }
    let marks = names.compactMap { name -> String? in
      guard let mark = Self.mark(of: name), mark != scriptMark, name == "record-" + mark, let file = open(name),
        let recorded = StoredRecord(.file(file))?.script, !recorded.isEmpty
      else { return nil }
      return recorded == script || FileIdentity(at: recorded) == nil ? mark : nil
    }
    guard marks.count == 1, let moved = marks.first else { return }
    if isDryRun {
      scriptMark = moved
      return
    }
    guard let descriptor = try? folder.openForAppending("journal-" + moved) else { return }
    let journal = RunJournal(descriptor)
    guard journal.lock(waiting: false) else { return }
    // The record comes last, so that a run that is killed here is repeated.
    for name in names.sorted(by: { $1 == "record-" + moved && $0 != $1 }) where Self.mark(of: name) == moved {
      folder.rename(name, to: name.replacing("-" + moved, with: "-" + scriptMark, maxReplacements: 1))
    }
    // The journal is new if the earlier run had none.
    if !names.contains("journal-" + moved) { folder.remove(["journal-" + moved]) }
  }

  /// Returns the mark of the script in the name of a record, a journal, or an index or a part of a document, without the
  /// number of a shard.
  private static func mark(of name: String) -> String? {
    let words = name.split(separator: "-", omittingEmptySubsequences: false)
    guard words.count >= 2, ["record", "journal", "pages", "part"].contains(words[0]) else { return nil }
    return words[1].split(separator: ".").first.map(String.init)
  }
}
