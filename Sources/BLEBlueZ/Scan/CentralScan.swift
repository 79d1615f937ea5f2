import BLEAdapter
import BLECore

/// One central's scan: its filter, and the devices that were already reported to it.
final class CentralScan {
  private struct Verdict {
    var version: UInt64
    var isWanted: Bool
    var isReported: Bool
  }

  let parameters: ScanParameters
  private let services: Set<BLEUUID>
  private let solicited: Set<BLEUUID>
  private var verdicts: [UInt64: Verdict] = [:]

  init(_ parameters: ScanParameters) {
    self.parameters = parameters
    services = Set(parameters.services ?? [])
    solicited = Set(parameters.solicitedServices)
  }

  /// Returns whether the device is to be reported now, and records that it was.
  func take(_ device: DeviceObject) -> Bool {
    if let place = verdicts.index(forKey: device.number), verdicts.values[place].version == device.version {
      return take(&verdicts.values[place])
    }
    var verdict = Verdict(version: device.version, isWanted: isWanted(device), isReported: false)
    defer { verdicts[device.number] = verdict }
    return take(&verdict)
  }

  private func take(_ verdict: inout Verdict) -> Bool {
    guard verdict.isWanted, parameters.allowsDuplicates || !verdict.isReported else { return false }
    verdict.isReported = true
    return true
  }

  func forget(_ device: DeviceObject) { verdicts[device.number] = nil }

  private func isWanted(_ device: DeviceObject) -> Bool {
    if services.isEmpty && solicited.isEmpty { return true }
    return device.services.contains(where: services.contains)
      || (!solicited.isEmpty && device.advertisement.solicitedServiceUUIDs.contains(where: solicited.contains))
  }
}
