import ImageCore
import ImagePipeline

/// A source file of an output or a measurement.
struct RecordedSource: Hashable, Sendable {
  let path: String
  /// The stamp; nil if the file did not exist.
  var stamp: FileStamp?
  /// The digest of all bytes; nil if it is unknown. See `PictureDigest`.
  var digest: SHA256Digest?
  /// The digest of everything that pixels depend on; nil if it is unknown.
  var pixels: SHA256Digest?

  init(path: String, stamp: FileStamp?, _ digest: PictureDigest?) {
    self.init(path: path, stamp: stamp, digest: digest?.whole, pixels: digest?.pixels)
  }

  init(path: String, stamp: FileStamp?, digest: SHA256Digest?, pixels: SHA256Digest?) {
    (self.path, self.stamp, self.digest, self.pixels) = (path, stamp, digest, pixels)
  }

  /// The digests of the source; nil if they are unknown.
  var known: PictureDigest? {
    if stamp == nil { return .missing }
    return digest.map { PictureDigest(whole: $0, pixels: pixels) }
  }
}

/// An output that a run has written.
struct RecordedOutput: Sendable {
  /// The identifier of the output; see `PlannedOutput.key`.
  var key: String
  /// The path, relative to the folder of outputs if it is inside that folder.
  var path: String
  /// The text of the output's recipe. Empty if the output has to be made again: a run did not complete it, or its
  /// recipe is unknown.
  var recipe: String
  /// The digest of the part of the recipe that pixels depend on; see `OutputRecipe.pixels`.
  var pixels: SHA256Digest?
  var sources: [RecordedSource]
  var stamp: FileStamp
  /// The digest of the file; nil if it is unknown. See `FileDigest.file` for documents whose pages have digests.
  var digest: SHA256Digest?
  /// The path of a folder with further files of the output, relative like `path`; empty if there is none.
  var folder = ""
  /// The digests of that folder's files: one of sizes and times, and one of bytes; nil if there is no folder, or if the
  /// output is known only from a journal.
  var tree: SHA256Digest?
  var treeBytes: SHA256Digest?
  /// Short digests of the bytes of each file in the folder, which distinguish missing files from changed ones.
  var treeFiles: [UInt64] = []
  /// The total size of all files of the output.
  let totalByteCount: Int
  /// The number of pages of a document.
  let pages: Int
  /// The verifier's summary of a document; empty if it was not verified.
  let verification: String
  /// The recipes and sources of a document's pages; empty if a later document cannot reuse pages.
  var entries: [RecordedPage] = []
  /// The identifier of the machine's boot during which the file was written; empty if its bytes are known to have
  /// reached the disk, so that a power cut cannot lose them. See `TemporaryFiles.machine`.
  var start = ""
  /// The stamps of files of earlier runs that may still be at the path, because a run was killed before it replaced
  /// them. Not stored.
  var replaced: [FileStamp] = []
  /// The latest time, in nanoseconds since 1970, at which a file of the output, or a folder, was noted in the journal.
  /// Files that imghost has written into the folder are not newer.
  var noted: UInt64 { replaced.reduce(stamp.modified) { max($0, $1.modified) } }
  /// Whether the stamp is too recent to be trusted. Not stored.
  var isRecent = false
}

extension RecordedOutput {
  /// Makes the record of a document that a merge has written. Its recipe is not known, so the next whole run makes it
  /// again.
  init(ofMerge key: String, path: String, _ stamp: FileStamp, digest: SHA256Digest? = nil) {
    self.init(
      key: key, path: path, recipe: "", sources: [], stamp: stamp, digest: digest,
      totalByteCount: Int(stamp.byteCount), pages: 0, verification: "")
  }
}

struct RecordedPage: Sendable {
  let index: Int
  let recipe: SHA256Digest
  /// The indices of the page's sources in `RecordedOutput.sources`.
  let sources: [Int]
}
