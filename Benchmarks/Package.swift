// swift-tools-version:6.2

import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// A package of its own, so that dependents of the library do not build it.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "swift-corebluetooth", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .target(name: "CInstructions"),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CAllocations", "CInstructions",
        .product(name: "CoreBluetooth", package: "swift-corebluetooth"),
        .product(name: "BLESession", package: "swift-corebluetooth"),
        .product(name: "BLETestKit", package: "swift-corebluetooth"),
      ],
      swiftSettings: strict),
    // The host's ATT and GATT alone, beside BlueZ's.
    .executableTarget(
      name: "attributes",
      dependencies: [
        "CInstructions",
        .product(name: "BLECore", package: "swift-corebluetooth"),
        .product(name: "BLEWire", package: "swift-corebluetooth"),
        .product(name: "BLEAdapter", package: "swift-corebluetooth"),
        .product(name: "BLEHost", package: "swift-corebluetooth"),
      ],
      swiftSettings: strict),
  ])
