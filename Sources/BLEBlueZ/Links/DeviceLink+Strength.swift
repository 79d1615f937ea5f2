import BLECore
import BLETransports

/// Reads the signal strength of an adapter's links, by the adapter's index; tests substitute their own.
protocol LinkStrengths: AnyObject {
  /// In dBm; `nil` where it is not available. The completion is never called inside this call.
  func read(_ peer: DeviceAddress, on index: UInt16, _ completion: @escaping (Int8?) -> Void)
}

extension LinkStrength: LinkStrengths {}

extension DeviceLink {
  func readStrength(_ completion: @escaping (Int8?) -> Void) {
    guard let device, let index = stack.adapterNumber, let strengths = stack.strengths else {
      return stack.later { completion(nil) }
    }
    strengths.read(device.address, on: index, completion)
  }
}
