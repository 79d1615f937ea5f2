// swift-tools-version:6.2

import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// One target of the house. What it may import is what is named here: the build refuses everything else
/// (`--explicit-target-dependency-import-check error`).
func layer(_ name: String, knows dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, knows dependencies: [Target.Dependency], besides files: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: files, swiftSettings: strict)
}

var products: [Product] = []
var targets: [Target] = []

// On Apple's systems the system's own Core Bluetooth answers `import CoreBluetooth`: there is nothing to build. The products are there all the
// same: a package that names one has to find it, also where its condition leaves it out.
#if os(Linux)
  products += [
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
    .library(name: "BLEPairing", targets: ["BLEPairing"]),
    .library(name: "BLEDefaultStack", targets: ["BLEDefaultStack"]),
    .library(name: "BLETestKit", targets: ["BLETestKit"]),
    .executable(name: "ble", targets: ["ble"]),
    .plugin(name: "CheckDelegates", targets: ["CheckDelegates"]),
  ]
  // Layers that `make bench` measures by themselves (`Benchmarks/run`).
  if Context.environment["BLE_BENCH"] != nil {
    products += ["BLECore", "BLEWire", "BLEAdapter", "BLEHost"].map { .library(name: $0, targets: [$0]) }
  }
  targets += [
    .systemLibrary(
      name: "CLibcrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(name: "CCoreBluetoothEnumerations"),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

    layer("BLECore"),
    layer("BLEFiles"),
    layer("BLECrypto", knows: ["BLECore", "CLibcrypto"]),
    layer("BLEWire", knows: ["BLECore"]),
    layer("BLECapture", knows: ["BLECore", "BLECrypto", "BLEFiles", "BLEWire"]),
    layer("BLETimeline", knows: ["BLECore", "BLECrypto", "BLEWire", "BLECapture"]),
    layer(
      "BLEClone",
      knows: ["BLECore", "BLEWire", "BLECapture", "BLEVirtualRadio", "BLESession", "BLEDeviceFiles", "CoreBluetooth"]),
    layer("BLEHCI", knows: ["BLECore", "BLEWire"]),
    .target(name: "CKernelBluetooth", publicHeadersPath: ".", cSettings: [.treatAllWarnings(as: .error)]),
    layer("BLETransports", knows: ["BLECore", "BLEWire", "BLEHCI", "CKernelBluetooth"]),
    layer("BLEVirtualRadio", knows: ["BLECore", "BLECrypto", "BLEFiles", "BLEWire", "BLEHCI"]),
    layer("BLEPairing", knows: ["BLECore"]),
    layer("BLEAdapter", knows: ["BLECore"]),
    layer("BLERules", knows: ["BLECore", "BLEWire", "BLEAdapter"]),
    .systemLibrary(
      name: "CSystemBus", pkgConfig: "libsystemd",
      providers: [.apt(["libsystemd-dev"]), .yum(["systemd-devel"])]),
    layer("BLEFaults", knows: ["BLECore", "BLEWire", "BLEText"]),
    layer("BLEHost", knows: ["BLECore", "BLECrypto", "BLEWire", "BLEHCI", "BLEPairing", "BLEAdapter", "BLEFaults"]),
    layer("BLEState", knows: ["BLECore", "BLECrypto", "BLEFiles", "BLEAdapter", "BLEHost"]),
    layer(
      "BLEBlueZ",
      knows: [
        "BLECore", "BLEWire", "BLEHCI", "BLETransports", "BLEPairing", "BLEAdapter", "BLEHost",
        "CKernelBluetooth", "CSystemBus",
      ]),
    layer(
      "BLEDefaultStack",
      knows: [
        "BLECore", "BLECrypto", "BLEFiles", "BLEWire", "BLECapture", "BLEHCI", "BLETransports", "BLEVirtualRadio",
        "BLEAdapter", "BLERules", "BLEHost", "BLEState", .target(name: "BLEBlueZ", condition: .when(traits: ["BlueZ"])),
      ]),
    layer("CoreBluetooth", knows: ["BLECore", "BLEAdapter", "BLEDefaultStack", "CCoreBluetoothEnumerations"]),
    layer(
      "BLETestKit",
      knows: [
        "BLECore", "BLEWire", "BLECapture", "BLETimeline", "BLEFaults", "BLEHCI", "BLEVirtualRadio", "BLEPairing",
        "BLEAdapter", "BLERules", "BLEHost", "BLEState", "CoreBluetooth", "BLEDeviceFiles", "BLEClone", "CMalloc",
      ]),
    layer(
      "BLEProfileFiles",
      knows: ["BLECore", "BLEPairing", "BLEHost", "BLEText", "BLESession", "CoreBluetooth"]),
    layer(
      "BLEReports",
      knows: [
        "BLECore", "BLEWire", "BLECapture", "CoreBluetooth", "BLEText", "BLESession", "BLEDeviceFiles",
        "BLEProfileFiles", "BLEClone",
      ]),
    .systemLibrary(
      name: "CMicroHTTP", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CLibcryptoX509", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(
      name: "BLEWeb",
      dependencies: [
        "BLECore", "BLEFiles", "BLEPairing", "BLECapture", "CoreBluetooth", "BLEText", "BLESession",
        "BLESessionCryptography", "BLEDeviceFiles", "BLEProfileFiles", "BLEClone", "BLEChat", "BLEReports",
        "CLibcryptoX509", "CMicroHTTP",
      ],
      // Each is an array of octets in the program: the explorer reads nothing from the disk.
      resources: [
        .embedInCode("Page/index.html"),
        .embedInCode("Page/advertisement.js"),
        .embedInCode("Page/app.css"),
        .embedInCode("Page/app.js"),
        .embedInCode("Page/channel.js"),
        .embedInCode("Page/characteristic.js"),
        .embedInCode("Page/chart.js"),
        .embedInCode("Page/chat.js"),
        .embedInCode("Page/choosing.js"),
        .embedInCode("Page/clone.js"),
        .embedInCode("Page/compose.js"),
        .embedInCode("Page/csv.js"),
        .embedInCode("Page/descriptors.js"),
        .embedInCode("Page/device.js"),
        .embedInCode("Page/dom.js"),
        .embedInCode("Page/faults.js"),
        .embedInCode("Page/fleet.js"),
        .embedInCode("Page/history.js"),
        .embedInCode("Page/kept.js"),
        .embedInCode("Page/live.js"),
        .embedInCode("Page/log.js"),
        .embedInCode("Page/macros.js"),
        .embedInCode("Page/pairing.js"),
        .embedInCode("Page/radio.js"),
        .embedInCode("Page/rate.js"),
        .embedInCode("Page/recording.js"),
        .embedInCode("Page/row.js"),
        .embedInCode("Page/scan.js"),
        .embedInCode("Page/serve.js"),
        .embedInCode("Page/strengths.js"),
        .embedInCode("Page/structures.js"),
        .embedInCode("Page/throughput.js"),
        .embedInCode("Page/timeline.js"),
        .embedInCode("Page/values.js"),
        .embedInCode("Page/vendor.js"),
        .embedInCode("Page/words.js"),
        // Device files that the explorer has of its own.
        .embedInCode("DeviceFiles/itag.json"),
        .embedInCode("DeviceFiles/lamp.json"),
        .embedInCode("DeviceFiles/lock.json"),
        .embedInCode("DeviceFiles/owenli.json"),
        .embedInCode("DeviceFiles/smart-band.json"),
      ],
      swiftSettings: strict),
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto",
      providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]),
    layer(
      "BLEGateway",
      knows: [
        "BLECore", "BLECrypto", "BLEFiles", "CoreBluetooth", "BLEText", "BLESession", "BLEDeviceFiles",
        "BLESessionStore", "BLEReports", "CMosquitto",
      ]),
    .executableTarget(
      name: "ble",
      dependencies: [
        "BLECore", "BLECrypto", "BLEFiles", "BLEWire", "BLECapture", "BLETimeline", "BLEFaults", "BLEHCI",
        "BLETransports", "BLEVirtualRadio", "BLEPairing", "BLEAdapter", "BLEHost", "BLEState", "BLEDefaultStack",
        "CoreBluetooth",
        "BLEText", "BLESession", "BLEChat", "BLEDeviceFiles", "BLEProfileFiles", "BLESessionCryptography",
        "BLESessionStore", "BLEClone", "BLEReports", "BLEWeb", "BLEGateway",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "vector-runner",
      dependencies: ["BLECore", "BLECrypto", "BLEWire", "BLEAdapter", "BLEHost", "BLESession"],
      path: "Tools/vector-runner", swiftSettings: strict),
    .executableTarget(name: "delegate-check", path: "Tools/delegate-check", swiftSettings: strict),
    .plugin(
      name: "CheckDelegates",
      capability: .command(
        intent: .custom(
          verb: "check-delegates",
          description: "Finds delegate methods that only a subclass of the delegate's class has: Linux never calls them"
        )),
      dependencies: ["delegate-check"]),
    .executableTarget(
      name: "symbol-comparison", path: "Tools/symbol-comparison", exclude: ["annotations.json"], swiftSettings: strict),

    tests("BLECoreTests", knows: ["BLECore"]),
    tests("BLECryptoTests", knows: ["BLECore", "BLECrypto"]),
    tests(
      "BLEFaultsTests",
      knows: ["BLECore", "BLEWire", "BLEFaults", "CoreBluetooth", "BLETestKit", "TestSupport"]),
    tests("BLEWireTests", knows: ["BLECore", "BLEWire"]),
    tests("BLECaptureTests", knows: ["BLECore", "BLECrypto", "BLEWire", "BLECapture"]),
    tests("BLETimelineTests", knows: ["BLECore", "BLEWire", "BLECapture", "BLETimeline", "Measurements"]),
    tests(
      "BLECloneTests",
      knows: [
        "BLECore", "BLEWire", "BLECapture", "BLEClone", "Measurements", "BLESession", "BLESessionCryptography",
        "BLEDeviceFiles", "CoreBluetooth", "BLETestKit", "TestSupport",
      ]),
    tests("BLEHCITests", knows: ["BLECore", "BLEWire", "BLEHCI"]),
    tests("BLETransportsTests", knows: ["BLECore", "BLEWire", "BLEHCI", "CKernelBluetooth", "BLETransports"]),
    tests(
      "BLEVirtualRadioTests",
      knows: ["BLECore", "BLECrypto", "BLEWire", "BLECapture", "BLEHCI", "BLEVirtualRadio", "Measurements"]),
    tests("BLEAdapterTests", knows: ["BLEAdapter"]),
    tests(
      "BLEHostTests",
      knows: [
        "BLECore", "BLECrypto", "BLEWire", "BLEHCI", "BLEPairing", "BLEAdapter", "BLEHost", "BLEVirtualRadio",
      ]),
    tests(
      "BLEStateTests",
      knows: ["BLECore", "BLECrypto", "BLEHCI", "BLEAdapter", "BLEHost", "BLEState", "Measurements"]),
    tests(
      "BLEBlueZTests",
      knows: [
        "BLECore", "BLEHCI", "BLETransports", "BLEPairing", "BLEAdapter", "BLEHost", "BLEBlueZ", "CoreBluetooth",
      ]),
    tests(
      "BLEDefaultStackTests",
      knows: [
        "BLECore", "BLEWire", "BLEFiles", "BLEHCI", "BLETransports", "BLEAdapter", "BLECapture", "BLEDefaultStack",
      ]),
    tests("CoreBluetoothTests", knows: ["BLECore", "BLEAdapter", "CoreBluetooth", "BLESession"]),
    .target(name: "Measurements", dependencies: ["CMalloc"], path: "Tests/Measurements", swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["CoreBluetooth", "BLETestKit"], path: "Tests/TestSupport",
      swiftSettings: strict),
    tests("TestSupportTests", knows: ["CoreBluetooth", "BLETestKit", "TestSupport"]),
    tests(
      "BLETestKitTests",
      knows: ["BLECore", "BLECapture", "Measurements", "CoreBluetooth", "BLETestKit", "TestSupport"]),
    tests("RuleTests", knows: ["BLERules", "CoreBluetooth", "BLETestKit", "TestSupport"]),
    tests(
      "BehaviourTests", knows: ["BLECore", "BLEWire", "CoreBluetooth", "BLETestKit", "TestSupport"],
      besides: ["untestable.txt"]),
    tests(
      "AttackTests",
      knows: [
        "BLECore", "BLECrypto", "BLEWire", "BLEHCI", "BLETransports", "BLEVirtualRadio", "BLEPairing", "BLEAdapter",
        "BLEHost", "BLEState", "Measurements", "CoreBluetooth", "BLETestKit", "TestSupport",
      ]),
    tests(
      "RequirementTests",
      knows: [
        "BLECore", "BLECrypto", "Measurements", "CoreBluetooth", "BLESession", "BLEChat", "BLEDeviceFiles",
        "BLESessionCryptography", "BLESessionStore", "BLETestKit", "TestSupport", "symbol-comparison", "delegate-check",
      ]),
    tests(
      "ToolTests",
      knows: [
        "BLECore", "BLEPairing", "BLEAdapter", "BLEHost", "BLEDefaultStack", "Measurements", "CoreBluetooth",
        "BLESession", "BLEProfileFiles", "BLESessionStore", "BLEReports", "BLEWeb", "BLEGateway", "TestSupport", "ble",
      ]),
    tests(
      "BLEWebTests",
      knows: [
        "BLEChat", "BLEReports", "BLESession", "BLESessionCryptography", "BLEDeviceFiles", "BLEWeb", "CoreBluetooth",
        "BLETestKit", "TestSupport",
      ]),
    tests(
      "BLEGatewayTests",
      knows: [
        "BLECore", "BLECrypto", "BLEText", "BLEGateway", "BLESession", "BLESessionStore", "BLEDeviceFiles",
        "BLEReports", "Measurements", "CoreBluetooth", "BLETestKit", "TestSupport",
      ]),
    tests("VectorTests", knows: ["vector-runner"]),
    // The example's tests, without a second build; Examples/Thermostat is a package of its own as well.
    .target(
      name: "Thermostat", dependencies: ["CoreBluetooth"], path: "Examples/Thermostat/Sources/Thermostat",
      swiftSettings: strict),
    .testTarget(
      name: "ThermostatTests", dependencies: ["Thermostat", "CoreBluetooth", "BLETestKit", "BLEDeviceFiles"],
      path: "Examples/Thermostat/Tests/ThermostatTests", exclude: ["Clones"], swiftSettings: strict),
    tests(
      "BLESessionStoreTests", knows: ["BLESession", "BLESessionStore", "BLETestKit", "TestSupport", "CoreBluetooth"]),
  ]

  // The fuzzers are part of the package only when they are asked for: they need a build of their own (`Fuzz/run`).
  if Context.environment["BLE_FUZZ"] != nil {
    targets += [
      .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
      .target(
        name: "FuzzSupport", dependencies: ["BLECore", "CLibFuzzer"], path: "Fuzz/Support", swiftSettings: strict),
      .executableTarget(
        name: "fuzz",
        dependencies: [
          "BLECore", "BLECrypto", "BLEWire", "BLECapture", "BLETimeline", "BLEClone", "BLEFaults", "BLEHCI",
          "BLETransports",
          "BLEAdapter",
          "BLEVirtualRadio", "BLEHost", "BLEState", "CoreBluetooth", "BLEText", "BLESession", "BLEChat",
          "BLEDeviceFiles", "BLEProfileFiles", "BLESessionStore", "BLEReports", "BLEGateway", "CSQLite", "FuzzSupport",
        ],
        path: "Fuzz/Sources", swiftSettings: strict),
      .executableTarget(
        name: "fuzz-stateful",
        dependencies: [
          "BLECore", "BLECrypto", "BLEWire", "BLEHCI", "BLEVirtualRadio", "BLEPairing", "BLEAdapter", "BLEHost",
          "FuzzSupport",
        ],
        path: "Fuzz/Stateful", swiftSettings: strict),
    ]
  }
#else
  products += ["CoreBluetooth", "BLEPairing", "BLEDefaultStack", "BLETestKit"].map {
    .library(name: $0, targets: ["EmptyOnApple"])
  }
  targets += [.target(name: "EmptyOnApple", path: "Tools/empty-on-apple", swiftSettings: strict)]
#endif

// These stand on Apple's API alone: on Apple's systems they are built against the system's framework.
#if os(Linux)
  let coreBluetooth: [Target.Dependency] = ["CoreBluetooth"]
  let cryptography: [Target.Dependency] = ["CLibcrypto"]
  let database: [Target.Dependency] = ["CSQLite"]
#else
  let coreBluetooth: [Target.Dependency] = []
  let cryptography: [Target.Dependency] = []
  let database: [Target.Dependency] = []
#endif
products += ["BLESession", "BLEChat", "BLEDeviceFiles", "BLESessionCryptography", "BLESessionStore"]
  .map { .library(name: $0, targets: [$0]) }
targets += [
  layer("BLEText"),
  layer("BLESession", knows: coreBluetooth),
  layer("BLEChat", knows: ["BLESession"] + coreBluetooth),
  layer("BLEDeviceFiles", knows: ["BLEText", "BLESession"] + coreBluetooth),
  layer("BLESessionCryptography", knows: ["BLESession"] + cryptography),
  layer("BLESessionStore", knows: ["BLESession"] + coreBluetooth + database),
  tests("BLETextTests", knows: ["BLEText"]),
  tests("BLESessionTests", knows: ["BLESession", "BLESessionCryptography"]),
  tests("BLEChatTests", knows: ["BLESession", "BLEChat", "BLESessionCryptography"]),
  tests("BLEDeviceFilesTests", knows: ["BLESession", "BLEDeviceFiles", "BLESessionCryptography"] + coreBluetooth),
]

// `BLE_ONLY=BLEHostTests,AttackTests` leaves these targets and what they stand on: the tests of one layer are built and linked
// without the rest of the house, which is most of the time that a change costs (CONTRIBUTING.md).
if let named = Context.environment["BLE_ONLY"] {
  var wanted: Set<String> = []
  var reached = named.split(separator: ",").map(String.init)
  while let name = reached.popLast() {
    guard wanted.insert(name).inserted else { continue }
    for dependency in targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): reached.append(name)
      default: break
      }
    }
  }
  targets.removeAll { !wanted.contains($0.name) }
  products = []
}

let package = Package(
  name: "swift-corebluetooth",
  // The first with a clock that is a protocol (`Clock`, `Duration`).
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: products,
  traits: [
    .default(enabledTraits: ["BlueZ"]),
    .trait(
      name: "BlueZ",
      description: "The adapter that BlueZ owns, over D-Bus. Needs libsystemd; without it there is no 'bluez'."),
  ],
  targets: targets)
