// The C library. All other modules use `import Platform` instead of selecting one themselves.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Darwin)
  @_exported import Darwin
#endif
