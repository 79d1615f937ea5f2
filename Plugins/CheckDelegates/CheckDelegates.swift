import Foundation
import PackagePlugin

/// `swift package check-delegates`: looks through a package's own targets for delegate methods that only a subclass of the
/// delegate's class has. They are called on Apple's systems, and not on Linux.
@main
struct CheckDelegates: CommandPlugin {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter arguments: the targets to look through; all where none is named.
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let tool = try context.tool(named: "delegate-check")
    var graphs: [String] = []
    for target in context.package.targets(ofType: SwiftSourceModuleTarget.self)
    where arguments.isEmpty || arguments.contains(target.name) {
      let folder = try packageManager.getSymbolGraph(
        for: target, options: .init(minimumAccessLevel: .private, includeSynthesized: false, includeSPI: true)
      ).directoryURL.path
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        $0.hasPrefix(target.moduleName) && $0.hasSuffix(".symbols.json")
      }
      guard !files.isEmpty else { throw Failure(description: "no symbol graph of \(target.name)") }
      graphs += files.map { folder + "/" + $0 }
    }
    let process = Process()
    process.executableURL = tool.url
    process.arguments = graphs
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "there are delegate methods that are never called on Linux")
    }
    print("no delegate method is in a subclass only")
  }
}
