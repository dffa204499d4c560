import CBenchJPEG
import Platform
import Synchronization

/// libjpeg-turbo alone, on two threads: decodes photographs, throws their rows away, and encodes the
/// pictures that should come out, which are ready in memory.
enum CodecFloor {
  /// - Parameters:
  ///   - results: JPEGs of the pictures that should come out, one for each photograph.
  ///   - shrink: photographs are decoded at 1/shrink.
  static func command(_ photos: [String], results: [String], shrink: Int, quality: Int, out: String, _ bench: Bench)
    throws(BenchFailure) -> PeerCommand
  {
    let folder = bench.scratch.path + "/floor"
    _ = Measurement(["rm", "-rf", folder])
    guard results.count == photos.count, Folder.make(folder),
      Measurement(Subprocess.floorInput.command([folder] + results)) != nil
    else { throw .failed("input of the codecs alone") }
    let version = bench_jpeg_version()
    let words = [String(shrink), String(quality), folder, out] + photos
    return PeerCommand(
      name:
        "libjpeg-turbo \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000) alone, "
        + "decoding at 1/\(shrink), two threads",
      command: Command(words: Subprocess.floor.command(words)))
  }

  /// `FOLDER JPEG…`: decodes each to a file of raw samples, named by its number and size.
  static func runInput(_ arguments: [String]) -> Int32 {
    for (index, path) in arguments.dropFirst().enumerated() {
      guard let picture = DecodedJPEG(path) else { return 1 }
      let number = String(10_000 + index)
      let name = "\(arguments[0])/\(number)-\(picture.width)-\(picture.height).raw"
      let isWritten = picture.samples.withUnsafeBytes {
        RawFile.write($0.baseAddress!, count: $0.count, to: name)
      }
      guard isWritten else { return 1 }
    }
    return 0
  }

  /// `SHRINK QUALITY FOLDER OUT PHOTO…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 4, let shrink = Int32(arguments[0]),
      let quality = Int32(arguments[1])
    else { return 2 }
    let photos = Array(arguments[4...])
    let pictures = Folder.files(arguments[2], suffix: ".raw")
    guard pictures.count == photos.count else { return 2 }
    let floor = Floor(shrink: shrink, quality: quality, photos: photos, pictures: pictures, out: arguments[3])
    runOnThreads([floor.work, floor.work])
    return floor.failures.load(ordering: .relaxed) == 0 ? 0 : 1
  }

  /// The state that the threads share. Each takes the next photograph as soon as it is free.
  private final class Floor: Sendable {
    let shrink: Int32
    let quality: Int32
    let photos: [String]
    let pictures: [String]
    let out: String
    let next = Atomic(0)
    let failures = Atomic(0)

    init(shrink: Int32, quality: Int32, photos: [String], pictures: [String], out: String) {
      self.shrink = shrink
      self.quality = quality
      self.photos = photos
      self.pictures = pictures
      self.out = out
    }

    func work() {
      while case let index = next.wrappingAdd(1, ordering: .relaxed).oldValue, index < photos.count {
        if !convert(index) { failures.wrappingAdd(1, ordering: .relaxed) }
      }
    }

    private func convert(_ index: Int) -> Bool {
      let size = pictures[index].split(separator: ".").dropLast().joined(separator: ".")
        .split(separator: "-").suffix(2).compactMap { Int32($0) }
      guard size.count == 2, let picture = MappedFile(pictures[index]) else { return false }
      defer { munmap(picture.address, picture.count) }
      guard bench_jpeg_decode_away(photos[index], shrink) == 0 else { return false }
      return bench_jpeg_encode(
        "\(out)/floor-\(index).jpg", picture.address.assumingMemoryBound(to: UInt8.self), size[0], size[1], quality)
        == 0
    }
  }
}
