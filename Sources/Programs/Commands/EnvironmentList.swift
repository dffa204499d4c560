import CommandInterface

/// The environment variables of the manual page.
enum EnvironmentList {
  static let all = [
    EnvironmentVariable("COLUMNS", "the width of help and lists, instead of the terminal's"),
    EnvironmentVariable("NO_COLOR", "if not empty, messages on a terminal have no colours"),
    EnvironmentVariable("IMGHOST_PLUGIN_PATH", "folders with plugins, separated by colons, before all others"),
    EnvironmentVariable("FREI0R_PATH", "folders with frei0r plugins, separated by colons"),
    EnvironmentVariable("SOURCE_DATE_EPOCH", "the time that books are dated with, in seconds since 1970"),
    EnvironmentVariable("TMPDIR", "the folder for files that are not outputs; /tmp if not set"),
    EnvironmentVariable(
      "XDG_DATA_HOME", "the folder in which 'imghost plugin install' makes imghost/plugins; ~/.local/share if not set"),
    EnvironmentVariable("XDG_RUNTIME_DIR", "the folder in which 'imghost preview' keeps its address"),
    EnvironmentVariable("XDG_CACHE_HOME", "the folder of caches; ~/.cache if not set"),
    EnvironmentVariable(
      "XDG_STATE_HOME", "the folder of the runs that 'imghost submit' starts; ~/.local/state if not set"),
    EnvironmentVariable("IMGHOST_CPU", "the instruction set of the kernels, for comparisons"),
    EnvironmentVariable("IMGHOST_JPEG", "the JPEG decoder, for comparisons"),
  ]
}
