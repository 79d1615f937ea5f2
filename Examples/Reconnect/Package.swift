// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "Reconnect",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-corebluetooth", path: "../..")],
  targets: [
    .executableTarget(
      name: "Reconnect",
      dependencies: [
        .product(name: "CoreBluetooth", package: "swift-corebluetooth", condition: .when(platforms: [.linux]))
      ])
  ],
  swiftLanguageModes: [.v5])
