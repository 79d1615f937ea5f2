import Foundation

/// Asks the compiler about the built module.
struct Toolchain {
  /// The package's folder.
  let package: String
  /// Where the build left the modules.
  let modules: String

  init(package: String, modules: String? = nil) {
    self.package = package
    self.modules = modules ?? package + "/.build/debug/Modules"
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var target: String {
    #if arch(arm64)
      "aarch64-unknown-linux-gnu"
    #else
      "x86_64-unknown-linux-gnu"
    #endif
  }

  private var searchPaths: [String] {
    let sources = package + "/Sources"
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: sources)) ?? []
    let modulesOfC = folders.map { "\(sources)/\($0)" }.sorted()
      .filter { FileManager.default.fileExists(atPath: $0 + "/module.modulemap") }
    return ([modules] + modulesOfC).flatMap { ["-I", $0] }
  }

  /// Every public declaration of `CoreBluetooth` and of the enumerations that come with it.
  func interface() throws -> [InterfaceSymbol] {
    try withFolder { folder in
      try run(
        "swift-symbolgraph-extract",
        ["-module-name", "CoreBluetooth", "-target", target, "-minimum-access-level", "public", "-output-dir", folder]
          + searchPaths)
      // What extends types of other modules has files of its own.
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".symbols.json") }
      guard files.contains("CoreBluetooth.symbols.json") else { throw Failure(description: "no symbol graph came out") }
      let symbols = try files.flatMap { file in
        try JSONDecoder().decode(
          SymbolGraph.self, from: try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
        ).interface
      }
      return symbols + EnumerationInterface.symbols(in: try enumerations())
    }
  }

  /// The symbol graphs of a source, with all access levels.
  func symbolGraphs(of source: String) throws -> [Data] {
    try withFolder { folder in
      let file = folder + "/Probe.swift"
      try source.write(toFile: file, atomically: true, encoding: .utf8)
      try run(
        "swiftc",
        [
          "-emit-module", "-emit-module-path", folder + "/Probe.swiftmodule", "-module-name", "Probe",
          "-parse-as-library", "-suppress-warnings", "-emit-symbol-graph", "-emit-symbol-graph-dir", folder,
          "-symbol-graph-minimum-access-level", "private", file,
        ] + searchPaths)
      return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".symbols.json") }
        .map { try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)) }
    }
  }

  /// Writes the symbol graph that the documentation is made of.
  func writeDocumentationGraph(to path: String) throws {
    try withFolder { folder in
      for (module, flags) in [
        ("CoreBluetooth", []), ("CCoreBluetoothEnumerations", ["-Xcc", "-DCB_SHOWS_ERROR_CODES"]),
      ] {
        try run(
          "swift-symbolgraph-extract",
          [
            "-module-name", module, "-target", target, "-minimum-access-level", "public",
            "-skip-synthesized-members", "-output-dir", folder,
          ] + flags + searchPaths)
      }
      let text = try enumerations()
      let graph = try DocumentationGraph(
        module: Data(contentsOf: URL(fileURLWithPath: folder + "/CoreBluetooth.symbols.json")),
        enumerations: Data(contentsOf: URL(fileURLWithPath: folder + "/CCoreBluetoothEnumerations.symbols.json")),
        interface: EnumerationInterface.symbols(in: text))
      try graph.data().write(to: URL(fileURLWithPath: path))
    }
  }

  /// The interface of the enumerations in C, as text.
  private func enumerations() throws -> String {
    try run(
      "swift-synthesize-interface",
      ["-module-name", "CCoreBluetoothEnumerations", "-target", target, "-Xcc", "-DCB_SHOWS_ERROR_CODES"] + searchPaths)
  }

  /// The lines of a source that do not compile, each with the first thing that the compiler says about it.
  func errors(in source: String) throws -> [Int: String] {
    try withFolder { folder in
      let file = folder + "/Probe.swift"
      try source.write(toFile: file, atomically: true, encoding: .utf8)
      let output = try run(
        "swiftc",
        [
          "-typecheck", "-module-name", "Probe", "-swift-version", "6", "-diagnostic-style", "llvm",
          "-suppress-warnings", file,
        ] + searchPaths, mayFail: true)
      return output.split(separator: "\n").reduce(into: [:]) { errors, line in
        guard let match = line.firstMatch(of: /Probe\.swift:(\d+):\d+: error: (.*)/), let number = Int(match.1) else {
          // A module that is not there must not look like a source without faults.
          if line.contains("error:") { errors[0] = errors[0] ?? String(line) }
          return
        }
        errors[number] = errors[number] ?? String(match.2)
      }
    }
  }

  /// What a tool printed.
  @discardableResult
  private func run(_ tool: String, _ arguments: [String], mayFail: Bool = false) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard mayFail || process.terminationStatus == 0 else {
      throw Failure(description: "\(tool) failed (\(process.terminationStatus)): \(output.prefix(2000))")
    }
    return output
  }

  private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("symbols-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }
}
