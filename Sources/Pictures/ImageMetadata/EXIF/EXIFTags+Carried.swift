/// The fields that are written again: those of the Exif standard that describe the photograph, and those that
/// Windows adds.
///
/// It lists the fields to keep, because the others are many: maker notes, vendors' private tags, Photoshop's
/// resources and second directories hold previews of the original picture, serial numbers, places, and invalid
/// offsets. Fields that describe stored strips would be wrong.
extension EXIFTags {
  static let carriedMain: Set<Int> = Set(main.keys)
    // TransferFunction, RatingPercent.
    .union([0x012d, 0x4749])

  static let carriedExif: Set<Int> = Set(exif.keys).union([
    // OECF, SensitivityType's ISOSpeedLatitudeyyy and zzz.
    0x8828, 0x8834, 0x8835,
    // ExifVersion, ComponentsConfiguration, FlashpixVersion.
    0x9000, 0x9101, 0xa000,
    // SpatialFrequencyResponse, FileSource, SceneType, CFAPattern.
    0xa20c, 0xa300, 0xa301, 0xa302,
    // Exif 3.0: ImageTitle, Photographer, ImageEditor, CameraFirmware, and three of software.
    0xa436, 0xa437, 0xa438, 0xa439, 0xa43a, 0xa43b, 0xa43c,
    // CompositeImage and its sources.
    0xa460, 0xa461, 0xa462,
  ])

  /// All GPS fields of the standard.
  static let carriedGPS: Set<Int> = Set(0x0000...0x001f)

  /// InteroperabilityIndex and InteroperabilityVersion.
  static let carriedInteroperability: Set<Int> = [1, 2]

  /// Fields beside the GPS directory that identify the owner of the equipment: HostComputer, ImageUniqueID (which
  /// many cameras derive from the serial number), CameraOwnerName, BodySerialNumber and LensSerialNumber.
  static let personal: Set<Int> = [0x013c, 0xa420, 0xa430, 0xa431, 0xa435]
}
