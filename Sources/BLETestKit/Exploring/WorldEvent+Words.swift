import BLECore
import BLEFaults

// Events as sentences for people, and as Swift for the test that runs them again.

extension WorldEvent: CustomStringConvertible {
  /// An English sentence without its full stop: "at 3.2 s the lamp moves out of range for 12 s".
  public var description: String {
    happening.kind.isCircumstance ? happening.words : "at \(Self.words(time)) \(happening.words)"
  }

  /// The event in Swift: ".at(.milliseconds(3_200), .outOfRange("lamp", lasting: .seconds(12)))".
  public var source: String {
    happening.kind.isCircumstance ? ".always(\(happening.source))" : ".at(\(Self.source(time)), \(happening.source))"
  }

  /// Seconds, with as many decimals as are needed, at most three: "3.25 s".
  static func words(_ duration: Duration) -> String {
    let count = milliseconds(duration)
    let fraction = String(count % 1_000 + 1_000).dropFirst()
    let decimals = fraction.reversed().drop { $0 == "0" }.reversed()
    return "\(count / 1_000)\(decimals.isEmpty ? "" : "." + String(decimals)) s"
  }

  static func source(_ duration: Duration) -> String {
    let count = milliseconds(duration)
    return count % 1_000 == 0 ? ".seconds(\(grouped(count / 1_000)))" : ".milliseconds(\(grouped(count)))"
  }

  static func milliseconds(_ duration: Duration) -> Int64 { max(0, StackDuration(duration).milliseconds) }

  /// Digits in groups of three, as Swift allows them in numbers.
  static func grouped(_ count: some BinaryInteger) -> String {
    let digits = String(count)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "_" }
      text.append(digit)
    }
    return text
  }
}

extension Happening {
  /// What happens, without the time of its beginning.
  var words: String {
    switch self {
    case .outOfRange(let device, let length): "the \(device) moves out of range for \(WorldEvent.words(length))"
    case .powerCut(let device, let length): "the \(device) loses its power for \(WorldEvent.words(length))"
    case .bluetoothOff(let device, let length):
      "Bluetooth of the \(device) is switched off for \(WorldEvent.words(length))"
    case .controllerReset(let device): "the controller of the \(device) fails and is reset"
    case .processTermination(let device): "the process of the application on the \(device) is terminated"
    case .background(let device, let length):
      "the application on the \(device) is in the background for \(WorldEvent.words(length))"
    case .bondLoss(let device): "the \(device) loses its bonds"
    case .fault(let fault, let device): "the \(device) has a fault from then on, once: \(fault)"
    case .loss(let rate, let first, let second, let length):
      """
      \(Int((rate * 100).rounded())) % of the packets between the \(first) and the \(second) begin to be lost, for \
      \(WorldEvent.words(length))
      """
    case .distance(let metres, let device, let length):
      "the \(device) moves \(Int(metres.rounded())) m away for \(WorldEvent.words(length))"
    case .quirks(let quirks, let device): "the controller of the \(device) \(quirks.words) from its start"
    case .variedSchedule:
      "calls and callbacks of one instant, answers of controllers and first connection events come as drawn from the seed"
    case .setting(let setting): "the devices are in the setting '\(setting.name)'"
    case .lateCallbacks(let device): "callbacks of the programs on the \(device) come up to 50 ms late"
    }
  }

  /// In Swift, without the time of its beginning.
  var source: String {
    switch self {
    case .outOfRange(let device, let length): ".outOfRange(\(device.quoted), lasting: \(WorldEvent.source(length)))"
    case .powerCut(let device, let length): ".powerCut(\(device.quoted), lasting: \(WorldEvent.source(length)))"
    case .bluetoothOff(let device, let length): ".bluetoothOff(\(device.quoted), lasting: \(WorldEvent.source(length)))"
    case .controllerReset(let device): ".controllerReset(\(device.quoted))"
    case .processTermination(let device): ".processTermination(\(device.quoted))"
    case .background(let device, let length): ".background(\(device.quoted), lasting: \(WorldEvent.source(length)))"
    case .bondLoss(let device): ".bondLoss(\(device.quoted))"
    case .fault(let fault, let device): ".fault(\(fault.source), \(device.quoted))"
    case .loss(let rate, let first, let second, let length):
      ".loss(\(rate), between: \(first.quoted), and: \(second.quoted), lasting: \(WorldEvent.source(length)))"
    case .distance(let metres, let device, let length):
      ".distance(\(metres), \(device.quoted), lasting: \(WorldEvent.source(length)))"
    case .quirks(let quirks, let device): ".quirks(\(quirks.source), \(device.quoted))"
    case .variedSchedule: ".variedSchedule"
    case .setting(let setting): ".setting(.\(setting.source))"
    case .lateCallbacks(let device): ".lateCallbacks(\(device.quoted))"
    }
  }
}

extension String {
  /// As a literal of Swift.
  fileprivate var quoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension ControllerQuirks {
  /// Each quirk with its name in Swift and what it does.
  static let known: [(quirk: ControllerQuirks, name: String, words: String)] = [
    (.slowCommands, "slowCommands", "answers each command after 400 ms"),
    (.missingCompletedPackets, "missingCompletedPackets", "does not report one of sixteen packets as completed"),
    (
      .dataBeforeConnectionComplete, "dataBeforeConnectionComplete", "passes on data before it announces the connection"
    ),
    (.hardwareError, "hardwareError", "fails 100 ms after the first connection"),
    (.fourBuffers, "fourBuffers", "has four buffers of 27 octets"),
    (.noExtendedAdvertising, "noExtendedAdvertising", "has no extended advertising"),
    (.noResolvingList, "noResolvingList", "has no resolving list"),
    (.dataBeforeEncryptionChange, "dataBeforeEncryptionChange", "passes on data before it announces the encryption"),
    (.scanExcludesInitiating, "scanExcludesInitiating", "cannot scan while it connects"),
  ]

  private var members: [(quirk: ControllerQuirks, name: String, words: String)] {
    Self.known.filter { contains($0.quirk) }
  }
  var words: String { members.isEmpty ? "has no quirks" : members.map(\.words).joined(separator: " and ") }
  var source: String { "[\(members.map { ".\($0.name)" }.joined(separator: ", "))]" }
}
