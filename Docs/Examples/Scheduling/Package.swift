// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SchedulingExample",
  dependencies: [.package(name: "imghost", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Example", dependencies: [.product(name: "Scheduling", package: "imghost")])
  ]
)
