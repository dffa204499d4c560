import ImageCore
import ImagePipeline
import Platform

/// The records of a script whose folder of outputs has been moved.
extension RecordFolder {
  /// The mark in the names of the files that whole runs of the same script left before its folder of outputs was moved;
  /// nil if there are no such files, if several marks are possible, or if the script has left files since.
  ///
  /// The record must name the path of this script, and the recorded place must be empty now, or hold this script.
  /// Otherwise, the files might be those of another script with the same file name.
  var movedMark: String? {
    guard !script.isEmpty, shard == nil, isEmpty, folder.link == nil, let names = try? folder.names() else {
      return nil
    }
    let marks = names.compactMap { name -> String? in
      let words = name.split(separator: "-", omittingEmptySubsequences: false)
      guard words.count == 2, words[0] == "record", words[1] != scriptMark, !words[1].contains("."),
        let file = open(name), let record = StoredRecord(.file(file)), record.script == script,
        hasNoOtherScript(at: record.place)
      else { return nil }
      return String(words[1])
    }
    return marks.count == 1 ? marks.first : nil
  }

  /// Returns whether no other script is at a path relative to the folder of outputs; false if that is not known.
  private func hasNoOtherScript(at place: String) -> Bool {
    var status = stat()
    let path = PathName.joined(folder.outputFolder, place)
    if lstat(path, &status) == 0 { return InternedPath(realPathOf: path).text == script }
    return [ENOENT, ENOTDIR].contains(errno)
  }

  /// Makes the files with another mark those of this script. Does nothing while another run uses them.
  ///
  /// - Parameter journal: the script's own journal, locked.
  func take(_ moved: String, _ journal: RunJournal) {
    guard let descriptor = try? folder.openForAppending("journal-" + moved) else { return }
    let earlier = RunJournal(descriptor)
    guard earlier.lock(waiting: false), let names = try? folder.names(), let bytes = earlier.bytes else { return }
    // The record comes first. Without it, a run would replace edited files; without the other files, a run only makes
    // more than it has to.
    folder.rename("record-" + moved, to: recordName)
    journal.add(bytes)
    for name in names where ["pages-\(moved)-", "part-\(moved)-"].contains(where: name.hasPrefix) {
      folder.rename(name, to: name.replacing("-\(moved)-", with: "-\(scriptMark)-", maxReplacements: 1))
    }
    folder.remove(["journal-" + moved, "inputs-" + moved])
  }
}
