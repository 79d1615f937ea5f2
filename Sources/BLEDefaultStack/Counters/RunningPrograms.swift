import BLEFiles
import BLETransports

/// The programs of this user that run, as they say themselves. Asking changes nothing.
public enum RunningPrograms {
  public struct Program: Hashable, Sendable {
    /// The number of its process; 0 where it cannot be seen from here.
    public let process: Int32
    /// `nil` where it does not answer in time, or something else than a program of this package.
    public let counters: ProgramCounters?
  }

  /// More programs are not asked.
  private static let limit = 64

  static func folder(in runtimeFolder: String) -> String { runtimeFolder + "/programs" }

  /// Asks all of them, which takes as long as the slowest takes, and `patience` at the most.
  /// - Parameter runtimeFolders: folders for running programs, each of which has to be the user's alone.
  public static func all(in runtimeFolders: [String], patience: Duration = .seconds(1)) -> [Program] {
    let deadline = ContinuousClock.now + patience
    return runtimeFolders.flatMap(files).prefix(limit).compactMap { path in
      AnswerSocket.ask(path, limit: ProgramCounters.textLimit, until: deadline).map { answer in
        Program(process: answer.process, counters: answer.octets.flatMap { ProgramCounters($0) })
      }
    }
  }

  private static func files(in runtimeFolder: String) -> [String] {
    let folder = folder(in: runtimeFolder)
    // In another's folder anything may lie.
    guard (try? PrivateFolder.check(folder)) != nil else { return [] }
    let processes = SystemView.ofThisMachine.names(folder).compactMap { Int32($0) }.filter { $0 > 0 }.sorted()
    return processes.map { "\(folder)/\($0)" }
  }
}
