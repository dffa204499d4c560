/// The inputs of measurements, made when missing and kept for the next time.
struct Inputs {
  /// The folder of inputs that were made.
  let folder: String
  /// The folder of photographs.
  let photoFolder: String

  var photos: [String] { Folder.files(photoFolder, suffix: ".jpg") }
}
