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

    package init(name: String, kind: String, x: Double, y: Double, isOn: Bool, isExplorer: Bool, distance: Double) {
      self.name = name
      self.kind = kind
      self.x = x
      self.y = y
      self.isOn = isOn
      self.isExplorer = isExplorer
      self.distance = distance
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
    .init("distance") { .number($0.distance) },
  ]
}
