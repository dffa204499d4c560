import ImageCore
import ImageMetadata

extension PictureFile {
  /// Returns the header with the properties of the file's sidecar; the header itself without one.
  ///
  /// - Throws: also for a sidecar that cannot be read: the script asked for it.
  func withSidecar(_ header: PictureHeader) throws(PictureError) -> PictureHeader {
    for path in Sidecar.paths(of: path) {
      let bytes: [UInt8]
      do throws(FileError) {
        let file = try InputFile(path: path)
        addRead(file.identity)
        // One byte too many is refused as a packet that is too large.
        bytes = try file.bytes(at: 0, count: min(file.byteCount, 1 << 20 + 1))
      } catch {
        if error.isAbsence { continue }
        throw .file(error)
      }
      do throws(XMPFault) {
        return header.with(metadata: try Sidecar.applied(bytes, to: header.metadata))
      } catch {
        throw .codec(.refused("has the sidecar '\(PathName.name(path))', which cannot be read: \(error)"))
      }
    }
    return header
  }
}
