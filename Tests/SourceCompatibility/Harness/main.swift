import Foundation

// Runs every program, each in a world of its own, and prints the result. Arguments select programs by name.

/// Immediately: a program that never ends has to be known by its name.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let chosen = CommandLine.arguments.dropFirst()
var passed = 0
var failed = 0
for program in allPrograms where chosen.isEmpty || chosen.contains("\(program)") {
  do {
    say("\(program)")
    let stage = WorldStage()
    try await program.init().run(on: stage)
    for broken in stage.brokenRules {
      say("breaks rule \(broken.rule.number) (\(broken.rule.severity.rawValue)) in \(program): \(broken.what)")
    }
    passed += 1
  } catch {
    failed += 1
    say("FAILED: \(program): \(error)")
  }
}
say("\(passed) passed, \(failed) failed")
exit(failed == 0 && passed > 0 ? 0 : 1)
