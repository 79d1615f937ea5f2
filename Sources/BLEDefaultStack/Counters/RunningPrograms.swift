import BLEFiles
import BLETransports

/// The running programs of this user, from their own reports. Asking them changes nothing.
public enum RunningPrograms {
  public struct Program: Hashable, Sendable {
    /// Its process identifier; 0 if it is not visible from here.
    public let process: Int32
    /// `nil` if it does not answer in time, or is not a program of this package.
    public let counters: ProgramCounters?
  }

  /// The maximum number of programs that are asked.
  private static let limit = 64

  static func folder(in runtimeFolder: String) -> String { runtimeFolder + "/programs" }

  /// Asks all of them, and waits for `patience` at most.
  /// - Parameter runtimeFolders: folders for running programs, each of which only the user may access.
  public static func all(in runtimeFolders: [String], patience: Duration = .seconds(1)) -> [Program] {
    let deadline = ContinuousClock.now + patience
    let asked = runtimeFolders.flatMap(files).prefix(limit).compactMap { AnswerSocket.ask($0) }
    return asked.map { question in
      let octets = question.answer(limit: ProgramCounters.textLimit, until: deadline)
      return Program(process: question.process, counters: octets.flatMap { ProgramCounters($0) })
    }
  }

  private static func files(in runtimeFolder: String) -> [String] {
    let folder = folder(in: runtimeFolder)
    // Another user's folder may contain anything.
    guard (try? PrivateFolder.check(folder)) != nil else { return [] }
    let processes = SystemView.ofThisMachine.names(folder).compactMap { Int32($0) }.filter { $0 > 0 }.sorted()
    return processes.map { "\(folder)/\($0)" }
  }
}
