import ImageCore
import ImageMetadata
import Scheduling
import Synchronization

/// A picture on disk, opened as often as needed; what planning needs of its header is read once and kept.
package final class PictureFile: Sendable {
  /// A header and the codec that reads it.
  package struct Contents: Sendable {
    /// Without profile, EXIF and details: see `PictureHeader.brief`.
    package let header: PictureHeader
    package let codec: any PictureCodec
    /// Whether the colours are neither gray nor sRGB, so that they, or those of a script, may have to be converted.
    let isInOtherColours: Bool
  }

  // Thousands of files can wait at once, so each takes few bytes.
  let place: InternedPath
  private let codecs: CodecCache
  private let chosen: Chosen?
  private let contents = AtomicLazyReference<Memo>()
  private let verdict = AtomicLazyReference<Verdict>()
  private let isFaulty = Atomic(false)

  package var path: String { place.text }
  /// The page, and the options for its codec.
  package var selection: PageSelection { chosen?.selection ?? .first }

  /// Whether the file's sidecar replaces its metadata.
  package var readsSidecar: Bool { chosen?.readsSidecar ?? false }

  /// The choices for a file that is not opened in the usual way.
  private final class Chosen: Sendable {
    let selection: PageSelection
    let readsSidecar: Bool

    init(_ selection: PageSelection, readsSidecar: Bool) {
      self.selection = selection
      self.readsSidecar = readsSidecar
    }
  }

  /// The error that every decoding of the page ends with.
  private final class Verdict: Sendable {
    let error: PictureError
    init(_ error: PictureError) { self.error = error }
  }

  /// The state of the file's last bytes.
  private enum TailState: UInt8, AtomicRepresentable {
    case unknown
    case whole
    case other
  }

  /// The facts that are kept of the header: one object, made when the header is read, because most of thousands of files only
  /// wait.
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
    /// Whether the file is a small one that was read as a whole.
    let isSmall: Bool
    let ending: Atomic<TailState>

    init(_ header: PictureHeader, _ codec: CodecCache.Entry, isSmall: Bool, ending: TailState) {
      self.isSmall = isSmall
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
      (isSmall, isInOtherColours) = (false, false)
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

  /// Returns the header, which the first call reads. May be called from any thread. If several threads read the header
  /// at once, one result is kept.
  package func read() throws(PictureError) -> Contents { try memo().contents() }

  private func memo() -> Memo { contents.load() ?? contents.storeIfNil(readBriefly()) }

  /// Returns whether the header is known or can be read without waiting for a disk or a network, because the beginning
  /// of the file is in the system's memory; it is then read. True also for an empty file, and if opening fails at once.
  ///
  /// - Parameter withEnd: whether the same must be true of the file's last bytes.
  func isHeaderAtHand(withEnd: Bool) -> Bool {
    if let known = contents.load(), !withEnd || known.ending.load(ordering: .relaxed) != .unknown {
      return true
    }
    let opened: InputFile?
    // Nil for a pipe that must be waited for: that is done elsewhere.
    do throws(FileError) { opened = try InputFile.atHand(path) } catch { return true }
    guard let file = opened else { return false }
    codecs.files.read(file.identity, for: .picture)
    guard file.byteCount > 0 else { return true }
    // A small file is read by the same call that finds out.
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

  /// Whether the file is small, and was read as a whole with its header.
  var wasReadWhole: Bool { contents.load()?.isSmall ?? false }

  /// - Parameter opened: the file, where that is open already.
  private func readBriefly(_ opened: InputFile? = nil) -> Memo {
    do throws(PictureError) {
      let (header, codec, file) = try readNow(opened)
      let isSmall = file.byteCount <= InputFile.smallByteCount
      return Memo(
        header, codecs.entry(header.codec, codec), isSmall: isSmall,
        // The end of a small file is checked while it is in memory.
        ending: isSmall ? Self.ending(of: file, codec) : .unknown)
    } catch {
      return Memo(error)
    }
  }

  /// Reads the whole header from the file.
  package func wholeHeader() throws(PictureError) -> PictureHeader { try readNow().0 }

  /// Reads the whole header, and returns it with the open file.
  package func openWithHeader() throws(PictureError) -> (PictureHeader, InputFile) {
    let (header, _, file) = try readNow()
    return (header, file)
  }

  /// Reads the page in its stored form, which its header must still name.
  package func storedPage(_ context: OperationContext) throws(PictureError) -> StoredPage {
    let (header, codec, file) = try readNow()
    guard header.stored != nil else { throw .codec(.changed) }
    let judged = judged(context)
    return try decode { () throws(PictureError) in
      try codec.storedPage(file, header: header, selection: selection, context: judged)
    }
  }

  /// Returns a context for decoding the page, which is cancelled as soon as there is a verdict.
  func judged(_ context: OperationContext) -> OperationContext { context.stopping { self.verdict.load() != nil } }

  /// Decodes the page, or a part of it. A decoder that crashed or took too long would do so again for the next output
  /// of the run, so its error is thrown for all later decodings, too. Decodings that run at the same time end when the
  /// first of them has such an error, if their contexts are from `judged`. May be called from any thread.
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

  /// Whether a decoder has noted a fault in the stored form, although every pixel was there. A copy of the file would
  /// have the fault, too. Known once the last row has been decoded. May be read from any thread.
  var hasFaults: Bool { isFaulty.load(ordering: .acquiring) }

  func noteFault() { isFaulty.store(true, ordering: .releasing) }

  /// Writes the file without its faults; see `PictureCodec.mend`.
  func mend(to sink: any ByteSink) throws(PictureError) -> Bool { try read().codec.mend(open(), to: sink) }

  /// Keeps outputs from replacing another file that the picture is made of.
  func addRead(_ file: FileIdentity) { codecs.files.read(file, for: .picture) }

  /// Opens the file, or a copy of it on a quicker disk, for a decoder that reads all of it.
  func openForDecoding() throws(PictureError) -> InputFile {
    let file = try open()
    guard let folder = codecs.stageFolder else { return file }
    do throws(FileError) { return try file.staged(in: folder) ?? file } catch { throw .file(error) }
  }

  package func open() throws(PictureError) -> InputFile {
    do throws(FileError) {
      let file = try InputFile(pathOrPipe: path)
      codecs.files.read(file.identity, for: .picture)
      return file
    } catch {
      throw .file(error)
    }
  }

  /// Whether the file's last bytes show that it is whole. They are looked at only once. May be read from any thread.
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
  /// The name of the folder that the file is in; empty for the current one.
  package var folderName: String {
    let folder = PathName.folder(path).map { String(PathName.name(String($0))) }
    return folder == "." ? "" : folder ?? ""
  }
  /// The name without its last extension.
  package var stem: String { PathName.stem(name) }
}

extension PictureError {
  /// Whether a decoder is not tried again after this error, because that would cost too much: it crashed, or its time
  /// was over.
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
  /// - Throws: an error also for a sidecar that cannot be read, because the script asked for it.
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
