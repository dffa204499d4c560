/// The inputs of measurements, made when missing and kept for the next time.
struct Inputs {
  /// The folder of inputs that were made.
  let folder: String
  /// The folder of photographs.
  let photoFolder: String

  var photos: [String] { Folder.files(photoFolder, suffix: ".jpg") }

  /// The photograph with the most bytes, which has the most detail. There is at least one.
  static func richest(_ photos: [String]) -> String {
    photos.max { (RawFile.size($0) ?? 0) < (RawFile.size($1) ?? 0) } ?? ""
  }
}
