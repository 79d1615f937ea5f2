import CoreBluetooth

/// One small program in a style that applications use. It uses only Core Bluetooth, Foundation and a stage to run on.
protocol Program {
  init()
  func run(on stage: any Stage) async throws
}

/// Where a program runs: its devices, and their time.
protocol Stage: Sendable {
  /// The options for a manager of this device; the same name is the same device.
  func options(_ device: String) -> [String: Any]
  /// Returns when the condition holds; throws when it does not within this many seconds.
  func wait(_ seconds: Double, until condition: @escaping () -> Bool) async throws
  func pass(_ seconds: Double) async
  func moveAway(_ device: String)
  func comeBack(_ device: String)
}

extension Stage {
  func wait(until condition: @escaping () -> Bool) async throws { try await wait(30, until: condition) }
}

struct CheckFailure: Error, CustomStringConvertible {
  let description: String
}

/// Fails the program unless the condition holds.
func check(_ condition: @autoclosure () throws -> Bool, file: StaticString = #fileID, line: UInt = #line) throws {
  if try !condition() { throw CheckFailure(description: "\(file):\(line): does not hold") }
}

/// The value, or the end of the program.
func unwrap<Value>(_ value: Value?, file: StaticString = #fileID, line: UInt = #line) throws -> Value {
  guard let value else { throw CheckFailure(description: "\(file):\(line): is nil") }
  return value
}
