import BLECore
import BLETransports

/// Who knows how strong the links of an adapter are, by its number; tests bring one of their own.
protocol LinkStrengths: AnyObject {
  /// In dBm; `nil` where it is not told. The completion is never called inside this call.
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
