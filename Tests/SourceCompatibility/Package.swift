// swift-tools-version:6.2

import PackageDescription

/// The same sources in both language modes (`Swift5` and `Swift6` hold links to them).
func programs(_ name: String, _ mode: SwiftLanguageMode) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      .product(name: "CoreBluetooth", package: "swift-corebluetooth"),
      .product(name: "BLETestKit", package: "swift-corebluetooth"),
    ],
    path: name, swiftSettings: [.swiftLanguageMode(mode)])
}

let package = Package(
  name: "SourceCompatibility",
  dependencies: [.package(name: "swift-corebluetooth", path: "../..")],
  targets: [programs("Swift5", .v5), programs("Swift6", .v6)])
