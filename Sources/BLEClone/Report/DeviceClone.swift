import BLEDeviceFiles

/// A simulated device out of a log: what was learned, and how much of the log it reproduces.
package struct DeviceClone: Sendable {
  package let log: LoggedDevice
  /// What was learned, disguised where the clone is anonymous.
  package let learned: LearnedDevice
  package let report: CloneReport
  /// Whether names, values and what was written are replaced by stand-ins.
  package let isAnonymous: Bool

  /// `nil` where nothing that was said with the device can be read.
  package init?(_ log: LoggedDevice, isAnonymous: Bool = false) {
    guard !log.pdus.isEmpty else { return nil }
    let learned = DeviceLearner.learn(log)
    self.log = log
    self.isAnonymous = isAnonymous
    report = CloneReplay(log, learned.recording).run()
    self.learned = isAnonymous ? RecordingDisguise.disguised(learned) : learned
  }

  /// The device, to be written to a file and to be played.
  package var description: DeviceDescription {
    let summary = "Made by ble clone of \(log.links.count) links with \(log.pdus.count) PDUs."
    return DeviceDescription(name: learned.name, summary: summary, recording: learned.recording)
  }

  /// The differences that may be told: what a device has said is not in the report of an anonymous clone.
  package var differences: [CloneReport.Difference] { isAnonymous ? [] : report.differences }
}
