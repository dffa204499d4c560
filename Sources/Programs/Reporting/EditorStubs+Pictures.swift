import ImageCore

extension EditorStubs {
  /// Returns the annotations of the class of pictures, without operations and measurements.
  static func pictures(_ plugins: [OperationDescriptor], _ names: [String: String]) -> String {
    picturesBefore + plugins.filter { !$0.isSource }.map { pluginOverload($0, names) }.joined() + picturesAfter
  }

  private static let picturesBefore = """
    ---@class imghost.DominantColour
    ---@field colour string
    ---@field share number the part of the picture, from 0 to 1

    ---@class imghost.Stats
    ---@field mean number[] a number a band, from 0 to 255
    ---@field deviation number[]
    ---@field minimum number[]
    ---@field maximum number[]
    ---@field entropy number[]
    ---@field histogram integer[][]
    ---@field is_opaque boolean

    ---@class imghost.Picture
    ---@field width integer
    ---@field height integer
    ---@field bands integer
    ---@field bits 8|16
    ---@field format string
    ---@field has_alpha boolean
    ---@field path string
    ---@field name string
    ---@field stem string
    ---@field exif table<string, any>
    ---@field xmp table<string, string|string[]>
    ---@field iptc table<string, string|string[]>
    ---@field dpi number?
    ---@field score number from 0 to 1: sharpness, exposure and contrast together
    ---@field sharpness number from 0 to 1
    ---@field exposure number from 0 to 1
    ---@field contrast number from 0 to 1
    ---@field attention { x: number, y: number, w: number, h: number } the part that draws the eye, in shares of the picture
    ---@field horizon number? the height of a straight horizon, from 0 at the top to 1
    local Picture = {}

    """

  private static let picturesAfter = """
    ---@param name string
    ---@param ... imghost.Picture|table<string, any> more pictures for a mixer, then options
    ---@return imghost.Picture
    function Picture:plugin(name, ...) end
    ---@param template string
    ---@param options? imghost.SaveOptions
    ---@return imghost.Job
    function Picture:save(template, options) end
    ---@param template string
    ---@param options? imghost.TilesOptions
    ---@return imghost.Job
    function Picture:tiles(template, options) end

    """
}
