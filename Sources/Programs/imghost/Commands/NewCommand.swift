import ImageCore
import ImagePipeline
import Platform

/// `imghost new`.
enum NewCommand: Command {
  static let name = "new"
  static let summary = "make a folder with a first script and editor support, or a plugin's project"
  static let operands = "NAME | plugin NAME"
  static let maximumOperands = 2
  static let options = [NewPluginProject.option]
  static let details = """
    'imghost new plugin NAME --lang c' makes the project of a plugin that builds and passes its own test
    with 'sh NAME/test.sh'.
    """

  static func run(_ line: ParsedLine) -> ExitStatus {
    guard let name = line.operands.first else {
      Terminal.error("imghost new: " + UsageError.missingOperand("NAME").text)
      return .wrongUsage
    }
    if name == "plugin" { return NewPluginProject.run(line) }
    guard line.operands.count == 1 else {
      Terminal.error("imghost new: " + UsageError.tooManyOperands(line.operands[1]).text)
      return .wrongUsage
    }
    guard !line.has("--lang") else {
      Terminal.error("imghost new: '--lang' is for plugins: imghost new plugin NAME --lang c")
      return .wrongUsage
    }
    guard !name.isEmpty else {
      Terminal.error("imghost new: the name is empty")
      return .wrongUsage
    }
    guard access(name, F_OK) != 0 else {
      Terminal.error("imghost new: '\(printable(name))' exists already; choose another name")
      return .wrongUsage
    }
    let files: [(path: String, text: String)] = [
      ("pictures.lua", script), (".luarc.json", editorSettings),
      (".imghost/imghost.d.lua", EditorStubs.text() + "\n"),
    ]
    guard ProjectFiles.write(files, into: name, command: "new") else { return .someFailed }
    Terminal.output(
      """
      made \(printable(name))/pictures.lua
      try it: cd \(printable(name)) && imghost run pictures.lua FOLDER-OF-PHOTOGRAPHS
      """)
    return .success
  }

  private static let editorSettings = """
    {
      "runtime.version": "Lua 5.4",
      "workspace.library": [".imghost"]
    }

    """

  static let script = """
    -- Makes web pictures and a PDF of every photograph in a folder.
    --   imghost run pictures.lua FOLDER
    local img = require "imghost"

    local folder = arg[1] or "."
    local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")

    -- Each call returns a new picture; nothing is decoded before the whole script has been checked.
    local web = photos:map(function(p)
      return p:thumbnail(1600, 1200):sharpen{ amount = 0.4 }
    end)

    web:save("web/{stem}.jpg", { quality = 85 })

    img.book("pictures.pdf", web, { paper = "a4", margin = "15mm", caption = "{stem}", verify = true })
      :on_done(function(result)
        print(result.path .. ": " .. result.pages .. " pages")
      end)

    """
}
