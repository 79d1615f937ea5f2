import BLEAdapter
import BLECore
import BLERules
import Synchronization

/// Judges a program by the rules of Apple's systems that `BLE_RULES` names, and prints each rule that it breaks on standard error, once
/// for each place.
///
/// The program runs by the machine's clock: what it does too late is noticed with its next call or callback, or at its end.
final class ProcessRules: ProgramObserver {
  private let judge: RuleJudge
  private let loop: any StackLoop
  private let managers = Atomic(0)
  private let printed = Mutex(0)

  /// - Parameter text: the value of `BLE_RULES`.
  /// - Returns: `nil` if it names no rules, or names them wrongly, which is logged.
  init?(_ text: String?, program: String, loop: any StackLoop, log: Logger) {
    guard let text, !text.isEmpty else { return nil }
    do throws(RuleSetError) {
      judge = RuleJudge(try RuleSet(text), device: program)
    } catch {
      log.log(.error, "BLE_RULES: \(error)")
      return nil
    }
    self.loop = loop
  }

  func programMakesManager(_ role: ProgramManager.Role) -> Int? { managers.add(1, ordering: .relaxed).newValue }

  func program(did event: ProgramEvent) {
    judge.see(event)
    printNew()
  }

  /// The program ends: what it should have done by now, and has not.
  func finish() {
    judge.look(at: loop.now)
    printNew()
  }

  private func printNew() {
    let broken = judge.broken
    printed.withLock { printed in
      for rule in broken.dropFirst(printed) { StandardErrorLog.writeLine("BLE_RULES: \(rule)") }
      printed = max(printed, broken.count)
    }
  }
}
