import ImagePipeline

extension BookAssembler: PagedDocument {
  package func makeDrawing() -> any PageDrawing { BookDrawing(self) }
}
