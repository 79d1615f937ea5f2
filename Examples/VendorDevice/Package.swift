// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "VendorDevice",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-corebluetooth", path: "../..")],
  targets: [
    .executableTarget(
      name: "VendorDevice",
      dependencies: [
        .product(name: "CoreBluetooth", package: "swift-corebluetooth", condition: .when(platforms: [.linux]))
      ])
  ],
  swiftLanguageModes: [.v5])
