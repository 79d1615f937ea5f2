import Foundation

/// The program `ble`.
@main
enum Tool {
  static let version = "0.2.0"

  @MainActor static func main() async {
    let status = await run(Array(CommandLine.arguments.dropFirst()))
    exit(status.rawValue)
  }

  static let parser = CommandLineParser(root: tree, commonOptions: CommonOptions.all)

  @MainActor private static func run(_ words: [String]) async -> ExitStatus {
    // Without the table of all commands, which takes as many instructions as all else that is done here for this line.
    if words == ["--\(CommandLineParser.versionOption.name)"] { return showVersion() }
    do throws(UsageError) {
      switch try parser.parse(words) {
      case .help(let path):
        print(HelpPage(of: path, parser: parser).text)
        return .done
      case .version:
        return showVersion()
      case .run(let command, let arguments):
        return await run(command, options: try CommonOptions(arguments))
      }
    } catch {
      return explain(error)
    }
  }

  private static func showVersion() -> ExitStatus {
    print("ble \(version)")
    return .done
  }

  @MainActor private static func run(_ command: any ToolCommand, options: CommonOptions) async -> ExitStatus {
    options.setEnvironment()
    let environment = ProcessInfo.processInfo.environment
    let style = Style.standard(environment: environment, isTerminal: isatty(STDOUT_FILENO) == 1)
    return await Session(options: options, style: style).run(command)
  }

  /// Prints the error, the usage of the recognised command, and where to find more information.
  @MainActor private static func explain(_ error: UsageError) -> ExitStatus {
    var path = [parser.root]
    for name in error.path.dropFirst() {
      guard let next = path.last?.subcommands.first(where: { $0.name == name }) else { break }
      path.append(next)
    }
    let page = HelpPage(of: path, parser: parser)
    Output.complain("Error: \(error.message)\nUsage: \(page.usage)\n\(page.hint)")
    return .usage
  }
}
