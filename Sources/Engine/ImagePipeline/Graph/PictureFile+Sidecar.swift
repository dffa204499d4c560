import ImageCore
import ImageMetadata

extension PictureFile {
  /// Returns the header with the properties of the file's sidecar; the header itself without one.
  ///
  /// - Throws: also for a sidecar that cannot be read: the script asked for it.
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
