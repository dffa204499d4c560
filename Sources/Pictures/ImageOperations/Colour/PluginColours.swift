import ImageCore

/// A plugin's operation, preceded by a conversion of its inputs' colours.
///
/// Most plugins expect sRGB samples. For them, pictures with another RGB profile are converted to sRGB, and the result
/// is sRGB, too. A plugin that accepts any RGB receives the first picture unchanged, and further pictures converted to
/// the first picture's profile. Gray pictures are passed unchanged.
package struct PluginColours: ProfiledOperation {
  private let operation: any PictureOperation
  private let takesAnyRGB: Bool
  package var profiles: (@Sendable (Int) -> [UInt8])?

  /// - Parameter operation: the plugin's operation, which reads all its inputs completely and at full size.
  package init(_ operation: any PictureOperation, takesAnyRGB: Bool) {
    self.operation = operation
    self.takesAnyRGB = takesAnyRGB
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    try operation.outputLayout(of: inputs)
  }

  package func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata {
    var result = operation.outputMetadata(metadata)
    if !takesAnyRGB, StandardProfile.isOtherRGB(metadata.iccProfile) { result.iccProfile = StandardProfile.srgb.bytes }
    return result
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { operation.workingByteCount(for: inputs) }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    guard let profiles else { return try operation.open(inputs, nominal: nominal, context: context) }
    var base = StandardProfile.srgb.bytes
    if takesAnyRGB {
      // A single picture is passed in its own profile.
      guard inputs.count > 1 else { return try operation.open(inputs, nominal: nominal, context: context) }
      let own = profiles(0)
      if StandardProfile.isOtherRGB(own) { base = own }
    }
    var converted: [any RowSource] = []
    for (index, input) in inputs.enumerated() {
      guard input.layout.format.model == .rgb, index > 0 || !takesAnyRGB else {
        converted.append(input)
        continue
      }
      let own = profiles(index)
      // Without a profile, samples are sRGB.
      let isOther = StandardProfile.isOtherRGB(own)
      let source = isOther ? own : StandardProfile.srgb.bytes
      converted.append(source == base ? input : try ToProfile.match(input, from: source, to: base, context))
    }
    return try operation.open(converted, nominal: nominal, context: context)
  }
}
