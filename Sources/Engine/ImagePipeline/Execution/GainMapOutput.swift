import ImageCore
import ImageMetadata

/// The gain map of a JPEG that is made from another JPEG with a gain map. The map is cropped and scaled down like the
/// picture.
struct GainMapOutput {
  /// The map and its description, in the form that follows the picture in the file.
  let map: GainMap
  private let codec: any PictureCodec

  /// The quality at which the map is encoded. It is high, because the map is small and its errors are visible as wrong
  /// brightness.
  private static let quality = 90

  /// Makes the map for a picture made from a file with a gain map; nil if the map cannot be kept, for example because
  /// operations have changed the file's colours, or because the map is of an unknown kind, damaged, or larger than the
  /// picture. Throws only if the work is cancelled.
  init?(_ picture: Picture, to format: SaveFormat, _ environment: Environment, _ context: OperationContext)
    throws(PictureError)
  {
    // A file that is made for a goal has no map, because the search measures only the picture.
    guard format.goal == nil else { return nil }
    let codec = format.codec
    guard let shown = picture.shown, let layout = try? picture.info().layout else { return nil }
    do throws(PictureError) {
      guard let contents = try? shown.file.read(), contents.codec.name == codec.name,
        var map = codec.gainMap(try shown.file.open())
      else { return nil }
      // The map's XMP packet is copied, so it must contain nothing private.
      if format.arguments["metadata"] == .text("public"), !GainMapXMP.isPlain(map.xmp) { return nil }
      let (time, read) = (DecodingTime(byteCount: map.jpeg.count), map)
      map.jpeg = try time.run { () throws(PictureError) in
        try Self.jpeg(read, shown, layout, codec, environment, context.timed(time))
      }
      map.jpeg = codec.describing(map)
      (self.map, self.codec) = (map, codec)
    } catch .cancelled {
      throw .cancelled
    } catch { return nil }
  }

  /// Returns the XMP packet of the picture, with an entry for the map that follows.
  func xmp(_ packet: [UInt8]) -> [UInt8] {
    map.xmp.isEmpty ? packet : GainMapXMP.naming(packet, mapLength: map.jpeg.count)
  }

  /// Returns the whole file: the picture, followed by the map.
  func file(_ picture: EncodedBytes) -> [UInt8] { codec.joining(picture.withUnsafeBytes { Array($0) }, map) }

  /// Returns the map for the visible part of the picture, encoded again; the whole map if `showPart` returns nil.
  private static func jpeg(
    _ map: GainMap, _ shown: Picture.Shown, _ result: PictureLayout, _ codec: any PictureCodec,
    _ environment: Environment, _ context: OperationContext
  ) throws(PictureError) -> [UInt8] {
    let file = try file(map.jpeg, shown.file.path)
    let header = try codec.readHeader(file)
    // The predicted memory is sufficient only if the map has no more pixels than its picture.
    guard header.layout.width * header.layout.height <= shown.width * shown.height else {
      throw .codec(.damaged("its gain map is larger than the picture"))
    }
    var rows = try codec.makeDecoder(file, header: header, options: DecodeOptions(), context: context)
    for turn in shown.part.turns { rows = try apply(environment.opening.orient(turn), rows, context) }
    // The map is scaled down like the picture, and never up.
    let part = shown.part
    let (across, down) = (part.right - part.left, part.bottom - part.top)
    func side(_ rows: Int, _ part: Double, _ result: Int, _ source: Int) -> Int {
      let scale = min(1, Double(result) / (Double(source) * part))
      return max(1, Int((Double(rows) * part * scale).rounded()))
    }
    let width = side(rows.layout.width, across, result.width, shown.width)
    let height = side(rows.layout.height, down, result.height, shown.height)
    guard let operation = environment.showPart(part, width, height) else { return map.jpeg }
    return try encoded(apply(operation, rows, context), codec, context)
  }

  private static func apply(_ operation: any PictureOperation, _ rows: any RowSource, _ context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    try operation.open([rows], nominal: [rows.layout], context: context)
  }

  private static func encoded(_ rows: any RowSource, _ codec: any PictureCodec, _ context: OperationContext)
    throws(PictureError) -> [UInt8]
  {
    let options = RawArguments(named: [("quality", .integer(quality)), ("subsampling", .text("4:4:4"))])
    guard let arguments = try? Arguments(options, parameters: codec.saveParameters, positionalCount: 0) else {
      preconditionFailure("JPEG files have a quality")
    }
    let frame = try rows.readAll(context)
    let sink = PooledSink(reserving: frame.layout.byteCount / 4)
    let encoder = try codec.makeEncoder(
      to: sink, layout: frame.layout, metadata: PictureMetadata(), arguments: arguments, context: context)
    try encoder.write(frame.layout.height, from: frame.base, stride: frame.stride)
    try encoder.finish()
    return sink.bytes.withUnsafeBytes { Array($0) }
  }

  private static func file(_ bytes: [UInt8], _ label: String) throws(PictureError) -> InputFile {
    let sink = PooledSink(reserving: bytes.count)
    try bytes.withUnsafeBytes { bytes in Result { () throws(PictureError) in try sink.write(bytes) } }.get()
    do throws(FileError) {
      return try InputFile(sink.bytes, label: label)
    } catch { throw .file(error) }
  }
}
