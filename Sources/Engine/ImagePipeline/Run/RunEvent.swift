import ImageCore
import Scheduling

/// An event of a run. Observers are called on any thread.
package enum RunEvent: Sendable {
  case started(pictures: Int)
  /// The work on one picture has ended, successfully or not.
  case pictureDone
  /// - Parameter quality: the quality that was found for a goal of `save`; nil without a goal.
  case wrote(path: String, byteCount: Int, layout: PictureLayout?, quality: Int? = nil)
  /// The output already existed, because an earlier run made it.
  case kept(path: String, byteCount: Int)
  case failed(Diagnostic)
  case note(Diagnostic)
  case cancelled(path: String, CancellationReason)
  case verified(path: String, VerificationOutcome)
}
