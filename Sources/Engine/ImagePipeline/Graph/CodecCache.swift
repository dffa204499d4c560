import ImageCore
import Synchronization

/// The codecs that read a run's files. Each is kept once. May be used from any thread.
package final class CodecCache: Sendable {
  /// A codec in an object that is shared by all files that the codec reads.
  final class Entry: Sendable {
    /// The codec's name, as in `PictureHeader.codec`.
    let headerName: String
    let codec: any PictureCodec

    init(_ headerName: String, _ codec: any PictureCodec) {
      self.headerName = headerName
      self.codec = codec
    }
  }

  let recognise: @Sendable (InputFile) throws(PictureError) -> any PictureCodec
  /// The record of every file that is opened.
  let files: RunFiles
  /// The folder for copies of files that are decoded; nil to decode them in place.
  let stageFolder: String?
  private let entries = Mutex<[Entry]>([])

  package init(
    _ files: RunFiles = RunFiles(), stageFolder: String? = nil,
    recognise: @escaping @Sendable (InputFile) throws(PictureError) -> any PictureCodec
  ) {
    self.files = files
    self.stageFolder = stageFolder
    self.recognise = recognise
  }

  func entry(_ headerName: String, _ codec: any PictureCodec) -> Entry {
    entries.withLock { entries in
      if let known = entries.first(where: { $0.headerName == headerName }) { return known }
      let fresh = Entry(headerName, codec)
      entries.append(fresh)
      return fresh
    }
  }
}
