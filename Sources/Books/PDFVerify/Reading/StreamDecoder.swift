/// Decompresses the small streams of a file: content, cross-references, object streams, fonts, metadata.
enum StreamDecoder {
  /// Returns the bytes of a stream without a filter or with only FlateDecode, and undoes predictors.
  ///
  /// - Parameters:
  ///   - entries: the stream's dictionary; `Filter` and `DecodeParms` are direct or already resolved.
  ///   - limit: the most bytes of the result.
  /// - Returns: nil if the data is damaged, longer than the limit, or has another filter.
  static func decode(_ data: UnsafeRawBufferPointer, _ entries: [String: PDFValue], limit: Int) -> [UInt8]? {
    switch entries["Filter"] ?? .null {
    case .null, .array([]): return data.count <= limit ? Array(data) : nil
    case .name("FlateDecode"), .array([.name("FlateDecode")]): break
    default: return nil
    }
    // qpdf writes blank pages with a filter and no data.
    if data.isEmpty { return [] }
    let parameters = entries["DecodeParms"]?.dictionary ?? entries["DecodeParms"]?.array?.first?.dictionary ?? [:]
    guard let bytes = Inflater.inflateAll(data, limit: limit) else { return nil }
    let predictor = parameters["Predictor"]?.integer ?? 1
    if predictor == 1 { return bytes }
    guard (10...15).contains(predictor), let layout = Layout(parameters) else { return nil }
    return PNGPredictor.restoreAll(bytes, columns: layout.columns, bytesPerPixel: layout.bytesPerPixel)
  }

  /// The layout of rows for predictors.
  private struct Layout {
    let columns: Int
    let bytesPerPixel: Int

    init?(_ parameters: [String: PDFValue]) {
      let colours = parameters["Colors"]?.integer ?? 1
      let bits = parameters["BitsPerComponent"]?.integer ?? 8
      let across = parameters["Columns"]?.integer ?? 1
      guard (1...32).contains(colours), [1, 2, 4, 8, 16].contains(bits), (1...1_000_000).contains(across)
      else { return nil }
      columns = (across * colours * bits + 7) / 8
      bytesPerPixel = max(1, colours * bits / 8)
    }
  }
}
