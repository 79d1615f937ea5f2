import BLECore
import BLEFiles
import BLEHCI
import BLETransports
import Dispatch
import Glibc
import Synchronization

/// Sends this process's counters to other programs of its user, by a socket file with the process identifier in the user's folder
/// for running programs. The text is made when a program connects; nothing is stored.
enum ProgramDesk {
  /// If there are more files than this, those of terminated processes are removed first.
  private static let crowd = 32
  private static let socket = Mutex<AnswerSocket?>(nil)

  /// A program that cannot make the file runs without it.
  static func open(_ log: Logger) {
    socket.withLock { socket in
      guard socket == nil else { return }
      let folder = RunningPrograms.folder(in: UserFolders.runtime)
      do {
        try PrivateFolder.make(folder)
        tidy(folder)
        socket = try AnswerSocket(
          path: "\(folder)/\(getpid())", on: DispatchQueue(label: "swift-corebluetooth.counters")
        ) {
          answer in
          Task {
            let counters = await DefaultStack.counters()
            answer(Array(ProgramCounters(program: Surroundings.programName, counters: counters).text.utf8))
          }
        }
      } catch {
        log.log(.debug, "no counters for other programs: \(error)")
      }
    }
  }

  static func close() {
    let open = socket.withLock { socket in
      defer { socket = nil }
      return socket
    }
    open?.close()
  }

  private static func tidy(_ folder: String) {
    let processes = SystemView.ofThisMachine.names(folder).compactMap { Int32($0) }
    guard processes.count > crowd else { return }
    for process in processes where process > 0 && kill(process, 0) != 0 && errno == ESRCH {
      unlink("\(folder)/\(process)")
    }
  }
}
