import BLECore
import BLEGateway
import BLEReports
import Foundation

extension Fuzzer {
  /// The data of BTHome's service: as it is, and with the rest of the octets in place of what was encrypted.
  static let gatewaySensor = Fuzzer(name: "gateway-sensor") { octets in
    checkSealed(octets, "FCD2", nonceLength: 13)
  } seeds: {
    [
      [15] + ([UInt8](hexadecimal: "41a47266c95f730011223378237214") ?? []) + [0x02, 0xCA, 0x09, 0x03, 0xBF, 0x13],
      [17] + ([UInt8](hexadecimal: "43a5808fe64854012c070000001b2c3d4e") ?? []) + [0x01, 0x61],
      [6, 0x40, 0x02, 0xCA, 0x09, 0x01, 0x61],
    ]
  }

  /// The data of Xiaomi's service, in the same way.
  static let gatewayXiaomi = Fuzzer(name: "gateway-xiaomi") { octets in
    checkSealed(octets, "FE95", nonceLength: 12)
  } seeds: {
    [
      [23] + ([UInt8](hexadecimal: "58585b0550f4830238c1a495ef58763c26000097e2abb5") ?? []) + [
        0x06, 0x10, 0x02, 0xD3, 1,
      ],
      [19] + ([UInt8](hexadecimal: "48590312a41b776e7c96add7000000f2bf545b") ?? []) + [
        0x08, 0x4C, 4, 0, 0, 0x34, 0x42,
      ],
      [18] + ([UInt8](hexadecimal: "5020aa01da219335342d580d1004fe004802") ?? []),
    ]
  }

  private static func checkSealed(_ octets: [UInt8], _ service: String, nonceLength: Int) {
    let length = min(Int(octets.first ?? 0), octets.count)
    let data = Array(octets.dropFirst().prefix(length))
    guard let plain = BeaconFrame(sensor: service, data: data) else { return require(false, "no frame of its service") }
    require(plain.fields.flatMap(\.octets) == data, "octets were lost")
    guard let sealed = SealedMeasurements(service: service, data: data) else { return }
    require(sealed.sealed.count >= 4 && sealed.sealed.count < data.count, "another length than the frame's")
    let address = DeviceAddress(octets: sealed.address ?? data, kind: .public)
    require(sealed.nonce(of: address).count == nonceLength, "a nonce of another length")
    let given = Array(octets.dropFirst(1 + data.count))
    guard let opened = BeaconFrame(sensor: service, data: data, opening: .plain(given)) else { return }
    // Octets of another length were never encrypted there.
    let fits = given.count == sealed.sealed.count - 4
    require(opened.fields.flatMap(\.octets).count == data.count, "another number of octets")
    require(fits || opened == plain, "octets of another length were taken")
    let refused = BeaconFrame(sensor: service, data: data, opening: .refused("no"))
    require(refused?.fields == plain.fields && refused?.problem != nil, "a value of what was refused")
  }

  /// A file of keys.
  static let gatewayKeys = Fuzzer(name: "gateway-keys") { octets in
    do throws(SecretError) {
      let keys = try GatewayKeyFiles.checked(octets)
      require(keys <= 1_024, "more keys than are allowed")
    } catch {
      requireInert(error.reason)
      // A place and a sentence of ours: no text of the file.
      require(error.reason.utf8.count < 200, "an error of any length")
    }
  } seeds: {
    [
      #"{"54:48:E6:8F:80:A5": "231d39c1d7cc1ab1aee224cd096db932", "5448E68F80A6": "231d39c1d7cc1ab1aee224cd096db933"}"#,
      #"{"phone": "ec0234a357c8ad05341010a60a397d9b"}"#, #"{"231d39c1d7cc1ab1aee224cd096db932": 1}"#,
    ].map { Array($0.utf8) }
  }
}
