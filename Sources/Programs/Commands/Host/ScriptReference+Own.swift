import BookComposing
import ImageCodecs
import ImageOperations
import ImagePipeline
import Reporting

extension ScriptReference {
  /// The reference for this program's codecs and operations.
  static var own: ScriptReference {
    ScriptReference(
      operations: OperationList.all.map(\.descriptor), codecs: CodecList.all, measurements: MeasurementList.all,
      textPicture: OperationList.textPicture.descriptor, bookParameters: BookOptions.all)
  }
}
