import BLEAdapter
import BLEDefaultStack
import Foundation
import Testing

@testable import ble

/// The results of `adapters` and `doctor` for simulated machines.
@Suite("Examining a machine")
final class ExaminationTests {
  private let folder: MachineFolder
  private var machine: Machine {
    get { folder.machine }
    set { folder.machine = newValue }
  }

  init() throws { folder = try MachineFolder() }

  private func make(_ path: String, mode: Int = 0o700) throws { try folder.make(path, mode: mode) }
  private func write(_ text: String, to path: String) throws { try folder.write(text, to: path) }

  private func findings(_ check: String) -> [Finding] { Examination(of: machine).findings.filter { $0.check == check } }

  @Test("A new machine is ready, and examining it changes nothing")
  func aNewMachineIsReady() {
    let before = folder.snapshot()
    let examination = Examination(of: machine)
    #expect(!examination.hasProblems, "\(examination.findings.filter { $0.verdict == .problem })")
    _ = AdapterList(on: machine)
    #expect(folder.snapshot() == before)
  }

  @Test("Every problem has its remedy")
  func everyProblemHasItsRemedy() throws {
    machine.environment["BLE_ADAPTER"] = "radoi"
    machine.environment["BLE_LOG"] = "loud"
    machine.environment["BLE_PHY"] = "2m"
    machine.environment["BLE_RADIO_SPEED"] = "0"
    machine.environment["BLE_CAPTURE"] = "/nowhere/at/all"
    let problems = Examination(of: machine).findings.filter { $0.verdict == .problem }
    #expect(problems.map(\.check) == ["adapter", "environment", "environment", "environment", "environment"])
    #expect(problems.allSatisfy { $0.remedy?.isEmpty == false })
  }

  @Test(
    "A configuration with a mistake is a problem with its path",
    arguments: [
      ("{", "expected the name of a setting"), ("[]", "expected '{', found '['"),
      ("{\"adaptor\": \"radio\"}", "'adaptor' is not a setting"),
      ("{\"adapter\": 5}", "expected a text in double quotes"), ("{\"adapter\": \"serial:\"}", "a device is missing"),
    ])
  func aConfigurationWithAMistakeIsAProblem(text: String, reason: String) throws {
    try write(text, to: "/home/.config/swift-corebluetooth/config.json")
    let finding = try #require(findings("adapter").first)
    #expect(
      finding.verdict == .problem && finding.text.contains("config.json") && finding.text.contains(reason), "\(finding)"
    )
  }

  @Test("The configuration's adapter is used, the environment's takes precedence")
  func theConfigurationsAdapterIsUsed() throws {
    try write("{\"adapter\": \"radio:lab\"}", to: "/home/.config/swift-corebluetooth/config.json")
    #expect(AdapterList(on: machine).json.text.hasPrefix(#"{"used":"radio:lab","source":"configuration""#))
    machine.environment["BLE_ADAPTER"] = "radio:other"
    #expect(AdapterList(on: machine).choice.source == .environment)
    machine.option = .radio(air: "mine", device: nil)
    #expect(AdapterList(on: machine).json.text.hasPrefix(#"{"used":"radio:mine","source":"option""#))
  }

  @Test(
    "I12.4 doctor, the list of adapters and the stack read one configuration, and judge it alike",
    arguments: [
      #"{"adapter": "radio:lab"}"#, #"{"adapter": "rad\u0069o:lab"}"#, #"{"adapter": "radio", "adapter": "radio:lab"}"#,
      #"{"adapter": "radio"} {}"#, #"{"adapter": "radio",}"#, "{\"adapter\": \"radio\u{7}\"}", "\u{FEFF}{}", "{}", "",
      "null",
      #"{"adapter": null}"#, "{\"adapter\": \"radio:\u{202E}\"}", String(repeating: " ", count: 70_000) + "{}",
    ])
  func oneReader(_ text: String) throws {
    try write(text, to: "/home/.config/swift-corebluetooth/config.json")
    let stack = AdapterChoice(in: machine.surroundings)
    #expect(AdapterList(on: machine).choice == stack)
    let finding = try #require(findings("adapter").first)
    switch stack.name {
    case .success(let name): #expect(finding.verdict == .good && finding.text.hasPrefix("\(name), "), "\(finding)")
    case .failure(let mistake):
      #expect(finding.verdict == .problem && finding.text == "\(mistake.description.inert).", "\(finding)")
    }
  }

  @Test("Folders that other users can write to, or that are no folders, are reported")
  func foldersThatOtherUsersCanWrite() throws {
    try make("/home/.local/state/swift-corebluetooth", mode: 0o755)
    #expect(findings("state").map(\.verdict) == [.note])
    try FileManager.default.removeItem(atPath: folder.root + "/home/.local/state/swift-corebluetooth")
    try write("", to: "/home/.local/state/swift-corebluetooth")
    #expect(findings("state").map(\.verdict) == [.problem])
    machine.environment["XDG_RUNTIME_DIR"] = "/run/" + String(repeating: "long", count: 20)
    try make(machine.environment["XDG_RUNTIME_DIR"] ?? "")
    #expect(findings("runtime").contains { $0.verdict == .problem && $0.text.contains("too long") })
    machine.environment["HOME"] = nil
    machine.accountHome = nil
    #expect(findings("state").contains { $0.verdict == .problem && $0.text.contains("Neither") })
  }

  @Test("A missing adapter is a problem, an unknown variable a note")
  func aMissingAdapterIsAProblem() {
    machine.environment["BLE_ADAPTER"] = "serial:/dev/ttyACM9"
    #expect(findings("adapter").first?.text.contains("there is no /dev/ttyACM9") == true)
    machine.environment["BLE_ADAPTER"] = "unix-client:/run/nobody"
    #expect(findings("adapter").first?.verdict == .problem)
    machine.environment["BLE_ADAPTR"] = "radio"
    #expect(findings("environment").contains { $0.remedy == "Perhaps BLE_ADAPTER is meant." })
  }

  @Test("Airs are listed with the running programs, hostile names are left out")
  func airsAreListedWithTheRunningPrograms() throws {
    try write("", to: "/run/swift-corebluetooth/air/lab/1234567890")
    try write("", to: "/run/swift-corebluetooth/air/lab/dead")
    try write("", to: "/run/swift-corebluetooth/air/\u{1B}[2J/x")
    try write("{}", to: "/home/.local/state/swift-corebluetooth/devices/lab/owenli.json")
    try write(
      "Num RefCount Protocol Flags Type St Inode Path\n0000: 00000002 00000000 00010000 0005 01 12345 /run/swift-corebluetooth/air/lab/1234567890.new\n",
      to: "/proc/net/unix")
    let list = AdapterList(on: machine)
    #expect(list.adapters.map(\.name) == ["radio:default", "radio:lab"])
    #expect(list.adapters.last?.state == "1 program is on it; devices kept: owenli")
    #expect(list.adapters.filter(list.isChosen).map(\.name) == ["radio:default"])
  }
}
