extension EditorStubs {
  /// The annotations of the module `imghost.test`.
  package static let tests = """
    ---@meta imghost.test
    -- Made by 'imghost new'.

    ---@class imghost.TestedRun
    ---@field status integer the exit status
    ---@field ok boolean whether it is 0
    ---@field folder string the folder of the outputs
    ---@field outputs { path: string, file: string, bytes: integer, width: integer?, height: integer? }[]
    ---@field messages { kind: "error"|"note", text: string, script: string?, line: integer? }[]
    ---@field printed string[]
    local Run = {}
    ---@param output string
    ---@return string path of the file
    function Run:path(output) end

    ---@class imghost.TestedRunOptions
    ---@field args? (string|number|boolean)[] arguments of the script
    ---@field settings? table<string, string|number|boolean> as --set gives them
    ---@field out? string folder of the outputs; a fresh one by default
    ---@field on_error? "stop"|"continue"
    ---@field options? (string|number)[] more options of 'imghost run'

    ---@class imghost.test
    ---@field folder string a folder for files of the test, removed after it
    local test = {}
    ---Declares a test.
    ---@param name string
    ---@param fn fun()
    function test.test(name, fn) end
    ---Ends the test without a verdict.
    ---@param reason? string
    function test.skip(reason) end
    ---Runs a script in a process of its own.
    ---@param script string
    ---@param options? imghost.TestedRunOptions
    ---@return imghost.TestedRun
    function test.run(script, options) end
    ---The exit status is 0.
    ---@param run imghost.TestedRun
    function test.ok(run) end
    ---@param run imghost.TestedRun
    ---@param status integer
    function test.status(run, status) end
    ---A mistake is reported at a line of the script.
    ---@param run imghost.TestedRun
    ---@param line integer
    ---@param text? string a part of its message
    function test.mistake(run, line, text) end
    ---@param run imghost.TestedRun
    ---@param text string a part of a message or note
    function test.message(run, text) end
    ---@param run imghost.TestedRun
    ---@param text string a part of a printed line
    function test.printed(run, text) end
    ---The outputs are these and no others.
    ---@param run imghost.TestedRun
    ---@param paths string[]
    function test.outputs(run, paths) end
    ---@param run imghost.TestedRun
    ---@param path string
    ---@param width integer
    ---@param height integer
    function test.size(run, path, width, height) end
    ---@param run imghost.TestedRun
    ---@param path string
    ---@param x integer column from 0
    ---@param y integer row from 0
    ---@param colour string|number[]
    ---@param options? { tolerance?: number, page?: integer }
    function test.pixel(run, path, x, y, colour, options) end
    ---The output looks like a golden picture.
    ---@param run imghost.TestedRun
    ---@param path string
    ---@param options? { golden?: string, page?: integer, tolerance?: number, share?: number }
    function test.golden(run, path, options) end
    ---@param run imghost.TestedRun
    ---@param path string of a PDF
    ---@param count integer
    function test.pages(run, path, count) end
    ---@param run imghost.TestedRun
    ---@param path string of a PDF
    ---@param text string
    ---@param options? { page?: integer }
    function test.text(run, path, text, options) end
    ---@param run imghost.TestedRun
    ---@param path string of a PDF
    function test.verified(run, path) end
    ---Two values are equal; tables are compared by their items.
    ---@param found any
    ---@param expected any
    ---@param what? string
    function test.equal(found, expected, what) end
    ---@param found number
    ---@param expected number
    ---@param tolerance number
    ---@param what? string
    function test.near(found, expected, tolerance, what) end
    return test

    """
}
