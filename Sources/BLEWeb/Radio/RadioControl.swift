import BLEReports

/// The air of a simulated radio, for the page that shows it as a map. Adapters of a machine have none.
package protocol RadioControl: Sendable {
  /// What is on the air now.
  func scene() async -> RadioScene
  /// Sets what is not `nil`.
  /// - Parameters:
  ///   - isRunning: whether time passes.
  ///   - speed: seconds of the air's time for each of the machine's.
  ///   - loss: the part of all packets that is lost, 0 to 1, whatever their strength; 0: only the strength decides.
  func set(isRunning: Bool?, speed: Double?, loss: Double?) async
  /// Lets so much time pass while it stands still.
  func step(by duration: Duration) async
  /// Moves a device to a position in metres, or takes or gives it power.
  /// - Returns: whether there is a device with that name.
  func setDevice(_ name: String, x: Double?, y: Double?, isOn: Bool?) async -> Bool
  /// Sets the faults of a device in place of those before, each in the words that `ble serve` understands (Docs/faults.md).
  /// - Returns: whether there is a device with that name.
  /// - Throws: all mistakes; nothing is changed then.
  func setFaults(_ name: String, _ faults: [String]) async throws(RadioControlError) -> Bool
  /// From now on `strikes` is called with the device and the fault, in words for people, when one strikes.
  func observeFaults(_ strikes: @escaping @Sendable (_ device: String, _ fault: String) -> Void)
}

/// Why something on the air cannot be set.
package struct RadioControlError: Error {
  package let message: String
  package init(_ message: String) { self.message = message }
}

/// A simulated air at one instant.
package struct RadioScene: Sendable {
  package struct Device: Sendable {
    package let name: String
    /// What it is, in a few words.
    package let kind: String
    /// In metres.
    package let x: Double
    package let y: Double
    package let isOn: Bool
    /// Whether it is the explorer's own radio.
    package let isExplorer: Bool
    /// To the explorer, in metres.
    package let distance: Double
    package let faults: [Fault]
    /// How often its faults have struck since they were set.
    package let strikes: Int

    package init(
      name: String, kind: String, x: Double, y: Double, isOn: Bool, isExplorer: Bool, distance: Double,
      faults: [Fault] = [], strikes: Int = 0
    ) {
      self.name = name
      self.kind = kind
      self.x = x
      self.y = y
      self.isOn = isOn
      self.isExplorer = isExplorer
      self.distance = distance
      self.faults = faults
      self.strikes = strikes
    }
  }

  package struct Fault: Sendable {
    /// As it is set: `read 2A19 nth 2 error 0x0E`.
    package let words: String
    /// For people.
    package let sentence: String

    package init(words: String, sentence: String) {
      self.words = words
      self.sentence = sentence
    }
  }

  package let time: Duration
  package let isRunning: Bool
  package let speed: Double
  package let loss: Double
  package let devices: [Device]

  package init(time: Duration, isRunning: Bool, speed: Double, loss: Double, devices: [Device]) {
    self.time = time
    self.isRunning = isRunning
    self.speed = speed
    self.loss = loss
    self.devices = devices
  }
}

extension RadioScene: Report {
  package static let members: [ReportMember<Self>] = [
    .init("time_ms") { .integer($0.time.milliseconds) }, .init("running") { .flag($0.isRunning) },
    .init("speed") { .number($0.speed) }, .init("loss") { .number($0.loss) }, .init("devices") { .parts($0.devices) },
  ]
}

extension RadioScene.Device: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.name) }, .init("kind") { .text($0.kind) }, .init("x") { .number($0.x) },
    .init("y") { .number($0.y) }, .init("on") { .flag($0.isOn) }, .init("explorer") { .flag($0.isExplorer) },
    .init("distance") { .number($0.distance) }, .init("faults") { .parts($0.faults) },
    .init("strikes") { .integer($0.strikes) },
  ]
}

extension RadioScene.Fault: Report {
  package static let members: [ReportMember<Self>] = [
    .init("words") { .text($0.words) }, .init("fault") { .text($0.sentence) },
  ]
}
