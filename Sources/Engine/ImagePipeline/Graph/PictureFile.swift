import ImageCore
import ImageMetadata
import Scheduling
import Synchronization

/// A page of a picture file. The file is opened as often as needed; the facts about the page's header that planning
/// needs are read once and kept.
package final class PictureFile: Sendable {
  /// A header and the codec that reads it.
  package struct Contents: Sendable {
    /// The header without profile, EXIF and details: see `PictureHeader.brief`.
    package let header: PictureHeader
    package let codec: any PictureCodec
    /// Whether the colours are neither gray nor sRGB. If so, they or the script's colours may have to be converted.
    let isInOtherColours: Bool
  }

  // Thousands of files may be pending at once, so each takes few bytes.
  let place: InternedPath
  private let codecs: CodecCache
  private let chosen: Chosen?
  private let contents = AtomicLazyReference<Memo>()
  private let verdict = AtomicLazyReference<Verdict>()
  private let isFaulty = Atomic(false)
  private let fault = AtomicLazyReference<Verdict>()

  package var path: String { place.text }
  /// The page, and the options for its codec.
  package var selection: PageSelection { chosen?.selection ?? .first }

  /// Whether the file's sidecar replaces its metadata.
  package var readsSidecar: Bool { chosen?.readsSidecar ?? false }
  /// The possible paths of the sidecar, in order of precedence; empty if it is not read.
  package var sidecarPaths: [String] { readsSidecar ? Sidecar.paths(of: path) : [] }

  /// The options of a file that is not opened in the default way.
  private final class Chosen: Sendable {
    let selection: PageSelection
    let readsSidecar: Bool

    init(_ selection: PageSelection, readsSidecar: Bool) {
      self.selection = selection
      self.readsSidecar = readsSidecar
    }
  }

  /// An error that applies to every use of the page or the file.
  private final class Verdict: Sendable {
    let error: PictureError
    /// Whether the failure of an output has reported the error.
    let isTold = Atomic(false)
    init(_ error: PictureError) { self.error = error }
  }

  /// The state of the file's last bytes.
  private enum TailState: UInt8, AtomicRepresentable {
    case unknown
    case whole
    case other
  }

  /// The facts about the header that are kept. They are a separate object, made when the header is read, because the
  /// headers of thousands of files may not have been read yet.
  private final class Memo: Sendable {
    private enum Kept: Sendable {
      case brief(
        BriefLayout, BriefMetadata, shrinkFactors: [Int], hasFineShrinks: Bool, hasCositedShrinks: Bool,
        decoderByteCount: Int,
        isEmbeddable: Bool, pageCount: Int32, delay: Float?, stored: StoredForm?, notes: [String],
        CodecCache.Entry)
      indirect case failed(PictureError)
    }
    private let kept: Kept
    private let isInOtherColours: Bool
    /// Whether the file is small, and was read as a whole.
    let isSmall: Bool
    /// The version of the file when its header was read; nil if that failed.
    let version: FileVersion?
    let ending: Atomic<TailState>

    init(_ header: PictureHeader, _ codec: CodecCache.Entry, _ file: InputFile, ending: TailState) {
      isSmall = file.byteCount <= InputFile.smallByteCount
      version = file.version
      self.ending = Atomic(ending)
      isInOtherColours =
        header.layout.format.model == .cmyk || StandardProfile.isOtherRGB(header.metadata.iccProfile)
      kept = .brief(
        BriefLayout(header.layout), BriefMetadata(header.metadata.brief)!, shrinkFactors: header.shrinkFactors,
        hasFineShrinks: header.hasFineShrinks, hasCositedShrinks: header.hasCositedShrinks,
        decoderByteCount: header.decoderByteCount,
        isEmbeddable: header.isEmbeddable,
        pageCount: Int32(clamping: header.pageCount), delay: header.delay.map { Float($0) },
        stored: header.stored, notes: header.notes, codec)
    }

    init(_ error: PictureError) {
      kept = .failed(error)
      (isSmall, isInOtherColours, version) = (false, false, nil)
      ending = Atomic(.other)
    }

    func contents() throws(PictureError) -> Contents {
      switch kept {
      case .failed(let error): throw error
      case .brief(
        let layout, let metadata, let shrinkFactors, let hasFineShrinks, let hasCositedShrinks, let decoderByteCount,
        let isEmbeddable,
        let pageCount, let delay, let stored, let notes, let codec):
        Contents(
          header: PictureHeader(
            codec: codec.headerName, layout: layout.whole, metadata: metadata.whole,
            shrinkFactors: shrinkFactors, hasFineShrinks: hasFineShrinks, hasCositedShrinks: hasCositedShrinks,
            decoderByteCount: decoderByteCount,
            isEmbeddable: isEmbeddable, pageCount: Int(pageCount), delay: delay.map { Double($0) },
            stored: stored, notes: notes),
          codec: codec.codec, isInOtherColours: isInOtherColours)
      }
    }
  }

  package init(
    _ place: InternedPath, codecs: CodecCache, _ selection: PageSelection = .first, readsSidecar: Bool = false
  ) {
    chosen = selection == .first && !readsSidecar ? nil : Chosen(selection, readsSidecar: readsSidecar)
    self.place = place
    self.codecs = codecs
  }

  /// Returns the header. The first call reads it. May be called from any thread. If several threads read the header at
  /// once, one result is kept.
  package func read() throws(PictureError) -> Contents { try memo().contents() }

  private func memo() -> Memo { contents.load() ?? contents.storeIfNil(readBriefly()) }

  /// Returns whether the header is known, or can be read without waiting for a disk or network. Reads a header that is
  /// not known if the beginning of the file is cached. Also true for an empty file, and if opening fails at once.
  ///
  /// - Parameter withEnd: whether the file's last bytes must be available without waiting, too.
  func isHeaderAtHand(withEnd: Bool) -> Bool {
    if let known = contents.load(), !withEnd || known.ending.load(ordering: .relaxed) != .unknown {
      return true
    }
    let opened: InputFile?
    // The result is nil for a pipe without data. Waiting for the data is left to a thread that may block.
    do throws(FileError) { opened = try InputFile.atHand(path) } catch { return true }
    guard let file = opened else { return false }
    codecs.files.read(file.identity, for: .picture)
    file.onFailure = noteFailure
    guard file.byteCount > 0 else { return true }
    // For a small file, one call both tests whether it is cached and reads it.
    let isAtHand =
      file.byteCount <= InputFile.smallByteCount
      ? file.takeSmallContent { FileCache.read(file.descriptor, into: $0) }
      : FileCache.holds(file.descriptor, at: 0)
        && (!withEnd || FileCache.holds(file.descriptor, at: file.byteCount - 1))
    guard isAtHand else { return false }
    let known = contents.storeIfNil(readBriefly(file))
    if withEnd, known.ending.load(ordering: .relaxed) == .unknown, let codec = try? known.contents().codec {
      known.ending.store(Self.ending(of: file, codec), ordering: .relaxed)
    }
    return true
  }

  /// The version of the file when its header was read; nil if the header was not read.
  var version: FileVersion? { contents.load()?.version }

  /// Whether the file is small, and was read as a whole with its header.
  var wasReadWhole: Bool { contents.load()?.isSmall ?? false }

  /// - Parameter opened: the file, if it is already open.
  private func readBriefly(_ opened: InputFile? = nil) -> Memo {
    do throws(PictureError) {
      let (header, codec, file) = try readNow(opened)
      let isSmall = file.byteCount <= InputFile.smallByteCount
      return Memo(
        header, codecs.entry(header.codec, codec), file,
        // The end of a small file is checked now, while it is in memory.
        ending: isSmall ? Self.ending(of: file, codec) : .unknown)
    } catch {
      return Memo(error)
    }
  }

  /// Reads the complete header from the file.
  package func wholeHeader() throws(PictureError) -> PictureHeader { try readNow().0 }

  /// Reads the complete header, and returns it with the open file.
  package func openWithHeader() throws(PictureError) -> (PictureHeader, InputFile) {
    let (header, _, file) = try readNow()
    return (header, file)
  }

  /// Reads the page in its stored form, which the header must still declare.
  package func storedPage(_ context: OperationContext) throws(PictureError) -> StoredPage {
    let (header, codec, file) = try readNow()
    guard header.stored != nil else { throw .codec(.changed) }
    let judged = judged(context)
    return try decode { () throws(PictureError) in
      try codec.storedPage(file, header: header, selection: selection, context: judged)
    }
  }

  /// Returns a context for decoding the page. It is cancelled as soon as there is a verdict, see `decode`.
  func judged(_ context: OperationContext) -> OperationContext { context.stopping { self.verdict.load() != nil } }

  /// Decodes the page, or a part of it. If the decoder crashes or times out, it would do so again for the run's next
  /// output, so all later decodings throw the same error (the verdict). Concurrent decodings end, too, if their
  /// contexts are from `judged`. May be called from any thread.
  func decode<Result>(_ body: () throws(PictureError) -> Result) throws(PictureError) -> Result {
    if let verdict = verdict.load() { throw verdict.error }
    do throws(PictureError) {
      return try body()
    } catch {
      if error.isVerdict { throw verdict.storeIfNil(Verdict(error)).error }
      if error == .cancelled, let verdict = verdict.load() { throw verdict.error }
      throw error
    }
  }

  /// Whether a decoder has reported a fault in the file's data although every pixel was decoded. A copy of the file
  /// would have the same fault. Known once the last row has been decoded. May be read from any thread.
  var hasFaults: Bool { isFaulty.load(ordering: .acquiring) }

  func noteFault() { isFaulty.store(true, ordering: .releasing) }

  /// Writes the file with its faults repaired; returns false if the codec cannot, see `PictureCodec.mend`.
  func mend(to sink: any ByteSink) throws(PictureError) -> Bool { try read().codec.mend(open(), to: sink) }

  /// Prevents outputs from replacing another file that belongs to the picture, such as its sidecar.
  func addRead(_ file: FileIdentity) { codecs.files.read(file, for: .picture) }

  /// Opens the file, or a copy of it on a faster disk, for a decoder that reads all of it.
  func openForDecoding() throws(PictureError) -> InputFile {
    let file = try open()
    guard let folder = codecs.stageFolder else { return file }
    do throws(FileError) { return try file.staged(in: folder) ?? file } catch { throw .file(error) }
  }

  package func open() throws(PictureError) -> InputFile {
    do throws(FileError) {
      let file = try InputFile(pathOrPipe: path)
      codecs.files.read(file.identity, for: .picture)
      file.onFailure = noteFailure
      return file
    } catch {
      noteFailure(error)
      throw .file(error)
    }
  }

  /// The first error in opening or reading the file or its sidecar. The reader may have continued as if a part, such as
  /// the profile, did not exist, so every output of the file fails. May be read from any thread.
  var failure: PictureError? { fault.load()?.error }

  /// Whether an output has already failed with `failure`.
  var isFailureTold: Bool { fault.load()?.isTold.load(ordering: .relaxed) ?? false }

  /// Returns `failure` for an output that fails because of it, and remembers that it was reported.
  func tellFailure() -> PictureError? {
    fault.load()?.isTold.store(true, ordering: .relaxed)
    return failure
  }

  /// Keeps the first error in opening or reading the file.
  private func noteFailure(_ error: FileError) {
    _ = fault.storeIfNil(Verdict(.file(error)))
    codecs.files.addUnreadable(self)
  }

  /// Whether the header has been read successfully.
  var isRead: Bool { (try? contents.load()?.contents()) != nil }

  /// Whether the file's last bytes show that it is complete. They are checked only once. May be read from any thread.
  package var endsProperly: Bool {
    let memo = memo()
    if memo.ending.load(ordering: .relaxed) == .unknown {
      guard let codec = try? memo.contents().codec, let file = try? open() else { return false }
      memo.ending.store(Self.ending(of: file, codec), ordering: .relaxed)
    }
    return memo.ending.load(ordering: .relaxed) == .whole
  }

  private static func ending(of file: InputFile, _ codec: any PictureCodec) -> TailState {
    codec.endsProperly(file) ? .whole : .other
  }

  private func readNow(_ opened: InputFile? = nil) throws(PictureError) -> (
    PictureHeader, any PictureCodec, InputFile
  ) {
    do throws(PictureError) {
      return try readUnnoted(opened)
    } catch {
      // A plugin's worker may fail to open the file, for example because it lacks a descriptor.
      if case .file(let error) = error { noteFailure(error) }
      throw error
    }
  }

  private func readUnnoted(_ opened: InputFile?) throws(PictureError) -> (PictureHeader, any PictureCodec, InputFile) {
    let file = if let opened { opened } else { try open() }
    let codec = try codecs.recognise(file)
    guard let chosen else { return (try codec.readHeader(file), codec, file) }
    let header =
      chosen.selection == .first ? try codec.readHeader(file) : try codec.readHeader(file, chosen.selection)
    return (chosen.readsSidecar ? try withSidecar(header) : header, codec, file)
  }

  /// The last part of the path; `stdin` for standard input.
  package var name: String {
    if place.name == PipedInput.standardInput, path == PipedInput.standardInput { return "stdin" }
    return place.name.isEmpty ? String(PathName.name(path)) : place.name
  }
  /// The name of the folder that contains the file; empty for the current folder.
  package var folderName: String {
    let folder = PathName.folder(path).map { String(PathName.name(String($0))) }
    return folder == "." ? "" : folder ?? ""
  }
  /// The name without its last extension.
  package var stem: String { PathName.stem(name) }
}

extension PictureError {
  /// Whether decoding must not be tried again after this error, because the decoder crashed or timed out, and another
  /// attempt would cost too much.
  fileprivate var isVerdict: Bool {
    switch self {
    case .plugin, .codec(.overtime): true
    default: false
    }
  }
}

// MARK: - Sidecar

extension PictureFile {
  /// Returns the header with the properties of the file's sidecar; the header itself if there is none.
  ///
  /// - Throws: an error if the sidecar is unreadable or too large, because the script requested it.
  func withSidecar(_ header: PictureHeader) throws(PictureError) -> PictureHeader {
    for path in Sidecar.paths(of: path) {
      let (bytes, count): ([UInt8], Int)
      do throws(FileError) {
        let file = try InputFile(path: path)
        addRead(file.identity)
        count = file.byteCount
        bytes = count > Sidecar.maximumByteCount ? [] : try file.bytes(at: 0, count: count)
      } catch {
        if error.isAbsence { continue }
        throw .file(error)
      }
      do throws(XMPFault) {
        if count > Sidecar.maximumByteCount { throw .tooLarge(count) }
        return header.with(metadata: try Sidecar.applied(bytes, to: header.metadata))
      } catch {
        throw .codec(.refused("has the sidecar '\(PathName.name(path))', which cannot be read: \(error)"))
      }
    }
    return header
  }
}
