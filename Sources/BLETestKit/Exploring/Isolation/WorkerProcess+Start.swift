import Foundation

/// What a worker is for.
struct WorkerAssignment: Codable, Sendable {
  let call: ExploreCall
  /// The calls before it, which are not repeated.
  let earlier: [ExploreCalls.Ended]
}

extension WorkerProcess {
  struct StartError: Error, CustomStringConvertible {
    let description: String

    init(_ call: String, _ code: Int32) { description = "\(call): \(String(cString: strerror(code)))" }
  }

  /// The variable of the environment that makes a process a worker, and the descriptor of its socket.
  static let variable = "BLE_EXPLORATION_WORKER"
  static let descriptor: Int32 = 3

  /// Starts this program again, with the same arguments, for one test alone.
  /// - Parameter describesTraps: whether a trap leaves a list of its calls, which takes seconds.
  static func start(for call: ExploreCall, describesTraps: Bool) throws(StartError) -> WorkerProcess {
    let (orders, theirOrders) = try makePair()
    let socket = LineSocket(orders)
    defer { close(theirOrders) }
    let (errors, theirErrors) = try makePair()
    defer { close(theirErrors) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for other in inherited { posix_spawn_file_actions_addclose(&actions, other) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, theirErrors, 2)
    posix_spawn_file_actions_adddup2(&actions, theirOrders, descriptor)

    var environment = ProcessInfo.processInfo.environment
    environment[variable] = "1"
    environment["SWIFT_BACKTRACE"] =
      describesTraps ? "enable=yes,color=no,threads=crashed,registers=none,images=none,limit=24" : "enable=no"
    let arguments = [CommandLine.arguments.first ?? "tests"] + arguments(for: call.test)
    var number: pid_t = 0
    let result = withStrings(arguments) { arguments in
      withStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
        posix_spawn(&number, "/proc/self/exe", &actions, nil, arguments, environment)
      }
    }
    guard result == 0 else {
      close(errors)
      throw StartError("posix_spawn", result)
    }
    return WorkerProcess(number: number, socket: socket, errors: errors)
  }

  private static func makePair() throws(StartError) -> (Int32, Int32) {
    var sockets: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else { throw StartError("socketpair", errno) }
    return (sockets[0], sockets[1])
  }

  /// Descriptors of this process that a new program would have as well.
  private static var inherited: [Int32] {
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return open.compactMap { Int32($0) }.filter { $0 > 2 && fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
  }

  /// Options of the test runner that choose tests, repeat them or report them elsewhere. Each has a value.
  private static let replaced: Set<String> = [
    "--filter", "--skip", "--repetitions", "--repeat-until", "--xunit-output", "--attachments-path",
    "--event-stream-output-path", "--event-stream-version", "--configuration-path", "--experimental-attachments-path",
    "--experimental-event-stream-output", "--experimental-event-stream-version", "--experimental-configuration-path",
  ]

  private static func arguments(for test: String) -> [String] {
    var kept: [String] = []
    var rest = CommandLine.arguments.dropFirst()
    while let argument = rest.popFirst() {
      let name = argument.split(separator: "=", maxSplits: 1).first.map(String.init) ?? argument
      guard replaced.contains(name) else {
        kept.append(argument)
        continue
      }
      if name == argument { _ = rest.popFirst() }
    }
    let pattern = test.unicodeScalars.map { scalar in
      scalar.isASCII && !scalar.properties.isAlphabetic && scalar.properties.numericType == nil && scalar != "_"
        ? "\\\(scalar)" : "\(scalar)"
    }
    // The place of a test in its file may follow its name.
    return kept + ["--filter", "^\(pattern.joined())(/|$)"]
  }

  /// Passes strings as an array of C strings that ends with a null pointer.
  private static func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return body(copies)
  }
}
