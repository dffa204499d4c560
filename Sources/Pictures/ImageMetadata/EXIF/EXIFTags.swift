/// The EXIF tags that scripts can read, with their names in Exif 2.32 (CIPA DC-008-2019), tables 3 to 15.
enum EXIFTags {
  static let orientation = 0x0112
  static let exifDirectory = 0x8769
  static let gpsDirectory = 0x8825
  static let interoperability = 0xa005
  static let pixelWidth = 0xa002
  static let pixelHeight = 0xa003

  /// The tags of the main directory.
  static let main: [Int: String] = [
    0x010d: "DocumentName", 0x010e: "ImageDescription", 0x010f: "Make", 0x0110: "Model", 0x0112: "Orientation",
    0x011a: "XResolution", 0x011b: "YResolution", 0x0128: "ResolutionUnit", 0x0131: "Software",
    0x0132: "DateTime", 0x013b: "Artist", 0x013c: "HostComputer", 0x013e: "WhitePoint",
    0x013f: "PrimaryChromaticities", 0x0211: "YCbCrCoefficients", 0x0213: "YCbCrPositioning",
    0x0214: "ReferenceBlackWhite", 0x4746: "Rating", 0x8298: "Copyright",
    0x9c9b: "XPTitle", 0x9c9c: "XPComment", 0x9c9d: "XPAuthor", 0x9c9e: "XPKeywords", 0x9c9f: "XPSubject",
  ]

  /// The tags of the directory that `exifDirectory` points to.
  static let exif: [Int: String] = [
    0x829a: "ExposureTime", 0x829d: "FNumber", 0x8822: "ExposureProgram",
    0x8824: "SpectralSensitivity", 0x8827: "PhotographicSensitivity", 0x8830: "SensitivityType",
    0x8831: "StandardOutputSensitivity", 0x8832: "RecommendedExposureIndex", 0x8833: "ISOSpeed",
    0x9003: "DateTimeOriginal", 0x9004: "DateTimeDigitized", 0x9010: "OffsetTime",
    0x9011: "OffsetTimeOriginal", 0x9012: "OffsetTimeDigitized", 0x9201: "ShutterSpeedValue",
    0x9202: "ApertureValue", 0x9203: "BrightnessValue", 0x9204: "ExposureBiasValue",
    0x9205: "MaxApertureValue", 0x9206: "SubjectDistance", 0x9207: "MeteringMode",
    0x9208: "LightSource", 0x9209: "Flash", 0x920a: "FocalLength", 0x9214: "SubjectArea", 0x9286: "UserComment",
    0x9290: "SubSecTime", 0x9291: "SubSecTimeOriginal", 0x9292: "SubSecTimeDigitized",
    0x9400: "Temperature", 0x9401: "Humidity", 0x9402: "Pressure", 0x9403: "WaterDepth",
    0x9404: "Acceleration", 0x9405: "CameraElevationAngle", 0xa001: "ColorSpace",
    0xa002: "PixelXDimension", 0xa003: "PixelYDimension", 0xa20b: "FlashEnergy",
    0xa20e: "FocalPlaneXResolution", 0xa20f: "FocalPlaneYResolution",
    0xa210: "FocalPlaneResolutionUnit", 0xa214: "SubjectLocation", 0xa215: "ExposureIndex",
    0xa217: "SensingMethod", 0xa401: "CustomRendered", 0xa402: "ExposureMode",
    0xa403: "WhiteBalance", 0xa404: "DigitalZoomRatio", 0xa405: "FocalLengthIn35mmFilm",
    0xa406: "SceneCaptureType", 0xa407: "GainControl", 0xa408: "Contrast", 0xa409: "Saturation",
    0xa40a: "Sharpness", 0xa40c: "SubjectDistanceRange", 0xa420: "ImageUniqueID",
    0xa430: "CameraOwnerName", 0xa431: "BodySerialNumber", 0xa432: "LensSpecification",
    0xa433: "LensMake", 0xa434: "LensModel", 0xa435: "LensSerialNumber", 0xa500: "Gamma",
  ]

  /// The tags of the directory that `gpsDirectory` points to, without those of the latitude, longitude and altitude,
  /// which take two tags each. `EXIFBlock` reads these.
  static let gps: [Int: String] = [
    0x0007: "GPSTimeStamp", 0x0008: "GPSSatellites", 0x0009: "GPSStatus", 0x000a: "GPSMeasureMode",
    0x000b: "GPSDOP", 0x000c: "GPSSpeedRef", 0x000d: "GPSSpeed", 0x000e: "GPSTrackRef",
    0x000f: "GPSTrack", 0x0010: "GPSImgDirectionRef", 0x0011: "GPSImgDirection",
    0x0012: "GPSMapDatum", 0x001d: "GPSDateStamp", 0x001e: "GPSDifferential",
    0x001f: "GPSHPositioningError",
  ]
}

// MARK: - Carried

/// The fields that are copied to written files (carried): fields of the Exif standard that describe the photograph, and
/// fields that Windows adds.
///
/// All other fields, such as maker notes, vendors' private tags, Photoshop's resources and second directories, may
/// contain previews of the original picture, serial numbers, locations, and invalid offsets. Fields that describe the
/// stored strips would be wrong.
extension EXIFTags {
  static let carriedMain: Set<Int> = Set(main.keys)
    // TransferFunction, RatingPercent.
    .union([0x012d, 0x4749])

  static let carriedExif: Set<Int> = Set(exif.keys).union([
    // OECF, ISOSpeedLatitudeyyy, ISOSpeedLatitudezzz.
    0x8828, 0x8834, 0x8835,
    // ExifVersion, ComponentsConfiguration, FlashpixVersion.
    0x9000, 0x9101, 0xa000,
    // SpatialFrequencyResponse, FileSource, SceneType, CFAPattern.
    0xa20c, 0xa300, 0xa301, 0xa302,
    // Exif 3.0: ImageTitle, Photographer, ImageEditor, CameraFirmware, and three fields about software.
    0xa436, 0xa437, 0xa438, 0xa439, 0xa43a, 0xa43b, 0xa43c,
    // CompositeImage and the fields for its sources.
    0xa460, 0xa461, 0xa462,
  ])

  /// All GPS fields of the standard.
  static let carriedGPS: Set<Int> = Set(0x0000...0x001f)

  /// InteroperabilityIndex and InteroperabilityVersion.
  static let carriedInteroperability: Set<Int> = [1, 2]

  /// The fields that identify the owner of the equipment: HostComputer, ImageUniqueID (which many cameras derive from
  /// the serial number), CameraOwnerName, BodySerialNumber and LensSerialNumber.
  static let personal: Set<Int> = [0x013c, 0xa420, 0xa430, 0xa431, 0xa435]
}
