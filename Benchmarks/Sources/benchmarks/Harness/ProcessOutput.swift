import Foundation

/// Runs a program until it ends.
/// - Parameter purpose: what it does, for the error if it fails: "counting the heap of ...".
/// - Returns: what it has printed.
func outputOfProcess(_ program: URL, _ arguments: [String], purpose: String) throws -> Data {
  let process = Process()
  process.executableURL = program
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let printed = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw Failure(description: "\(purpose) failed (exit code \(process.terminationStatus))")
  }
  return printed
}
