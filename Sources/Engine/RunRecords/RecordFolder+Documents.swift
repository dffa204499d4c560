import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The indices of documents, and unfinished documents.
///
/// While a document is written, the folder contains its index and a hard link to its file. If the run ends early, even
/// by a crash, both stay, and a later run reuses the finished pages. For a complete document, only the index stays.
extension RecordFolder {
  /// A document that a run has started to write.
  struct BegunDocument: Hashable, Sendable {
    /// The identifier of the document in file names; see `mark(of:)`.
    let mark: String
    /// The random text that distinguishes unfinished documents with the same path.
    let tag: String
  }

  /// Returns the identifier of a document in the names of its files.
  func mark(of key: String) -> String {
    "\(suffix)-\(SHA256.digest(of: Array(key.utf8)).description.prefix(12))"
  }

  func indexName(of key: String) -> String { "pages-" + mark(of: key) }
  func indexName(of document: BegunDocument) -> String { "pages-\(document.mark)-\(document.tag)" }
  func partName(of document: BegunDocument) -> String { "part-\(document.mark)-\(document.tag)" }
  func path(_ name: String) -> String { folder.path + "/" + name }

  /// Returns the documents that runs have started and not finished.
  func begunDocuments() -> Set<BegunDocument> {
    let names = (try? folder.names()) ?? []
    return Set(
      names.compactMap { name in
        let words = name.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 4, ["pages", "part"].contains(words[0]), words[1] == suffix else { return nil }
        return BegunDocument(mark: "\(words[1])-\(words[2])", tag: String(words[3]))
      })
  }

  /// Opens a file in the folder; nil if it is missing, not a regular file, or not trusted, or if it cannot be opened.
  func open(_ name: String) -> InputFile? {
    FileStamp(path: path(name)) == nil ? nil : try? folder.open(name)
  }

  /// Starts the index of a document that is about to be written; nil if the index cannot be written.
  func begin(_ key: String, _ file: OutputFile, head: [UInt8]) -> (BegunDocument, PageJournal)? {
    let document = BegunDocument(
      mark: mark(of: key), tag: String(String(UInt64.random(in: .min ... .max) | 1 << 63, radix: 16).suffix(8)))
    guard let descriptor = try? folder.openForAppending(indexName(of: document)) else { return nil }
    // Some file systems, such as FAT, have no hard links. Then only the index of a complete document can be used.
    _ = folder.link(file, as: partName(of: document))
    return (document, PageJournal(descriptor, head: head) { remove([document]) })
  }

  /// Removes the hard link to a document's file.
  func removePart(of document: BegunDocument) { folder.remove([partName(of: document)]) }

  /// Gives a document's index its final name, after the document has received its own final name.
  func complete(_ document: BegunDocument, _ key: String) {
    folder.rename(indexName(of: document), to: indexName(of: key))
    remove([document])
  }

  func remove(_ documents: some Collection<BegunDocument>) {
    guard !documents.isEmpty else { return }
    folder.remove(documents.flatMap { [indexName(of: $0), partName(of: $0)] })
  }

  func removeIndices(of keys: [String]) {
    let names = keys.map(indexName).filter { FileStamp(path: path($0)) != nil }
    if !names.isEmpty { folder.remove(names) }
  }
}
