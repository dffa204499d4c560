/// A rectangle of pixels.
struct PixelArea {
  let columns: Range<Int>
  let rows: Range<Int>
}
