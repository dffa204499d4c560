// The C library. Every other module says `import Platform` instead of choosing one itself.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Darwin)
  @_exported import Darwin
#endif
