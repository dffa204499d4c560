import BookComposing
import ImageCodecs
import ImageOperations
import ImagePipeline
import Reporting

extension ScriptReference {
  /// The reference of this program's lists.
  static var own: ScriptReference {
    ScriptReference(
      operations: OperationList.all.map(\.descriptor), codecs: CodecList.all, measurements: MeasurementList.all,
      textPicture: OperationList.textPicture.descriptor, bookParameters: BookOptions.all)
  }
}
