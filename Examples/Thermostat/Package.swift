// swift-tools-version:6.2

import PackageDescription

let package = Package(
  name: "Thermostat",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [.library(name: "Thermostat", targets: ["Thermostat"])],
  // In a package of your own: .package(url: "<this repository>", .upToNextMinor(from: "0.2.0"))
  dependencies: [.package(name: "swift-corebluetooth", path: "../..")],
  targets: [
    .target(
      name: "Thermostat",
      dependencies: [
        .product(name: "CoreBluetooth", package: "swift-corebluetooth", condition: .when(platforms: [.linux]))
      ]),
    .testTarget(
      name: "ThermostatTests",
      dependencies: [
        "Thermostat",
        .product(name: "CoreBluetooth", package: "swift-corebluetooth", condition: .when(platforms: [.linux])),
        .product(name: "BLETestKit", package: "swift-corebluetooth", condition: .when(platforms: [.linux])),
        .product(name: "BLEDeviceFiles", package: "swift-corebluetooth"),
      ],
      exclude: ["Clones"]),
  ],
  swiftLanguageModes: [.v6])
