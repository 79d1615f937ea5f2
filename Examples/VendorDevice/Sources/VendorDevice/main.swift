import CoreBluetooth
import Foundation

// usage: VendorDevice central [ADDRESS]
//          finds a Nimbus (the one of that address), verifies it, asks for its battery and switches its light
//        VendorDevice peripheral [--name NAME] [--address ADDRESS] [--deaf COMMANDS] [--swindler yes]
//          such a device
//        VendorDevice check
//          known answers of the codecs

setvbuf(stdout, nil, _IOLBF, 0)
var arguments = CommandLine.arguments.dropFirst()
let role = arguments.popFirst()
var options: [String: String] = [:]
var rest: [String] = []
while let argument = arguments.popFirst() {
  if argument.hasPrefix("--"), let value = arguments.popFirst() {
    options[argument] = value
  } else {
    rest.append(argument)
  }
}

/// Commands wait for one another by themselves: they may be given all at once.
func useDevice(_ central: VendorCentral) {
  central.run(.battery) { result in
    switch result {
    case .success(let answer): print("battery \(answer.first ?? 0) %")
    case .failure(let failure): print("battery failed: \(failure)")
    }
  }
  for percent: UInt8 in [40, 200] {
    central.run(.light, [percent]) { result in
      switch result {
      case .success: print("light at \(percent) %")
      case .failure(let failure): print("light failed: \(failure)")
      }
      if percent == 200 { central.disconnect() }
    }
  }
}

switch role {
case "central":
  let wanted = rest.first.flatMap { MACAddress($0) }
  if rest.first != nil && wanted == nil {
    print("\(rest[0]) is no address: C0:FF:EE:00:00:01 is one")
    exit(64)
  }
  let central = VendorCentral(vendor: .nimbus, wanted: wanted, onReady: useDevice)
  RunLoop.main.run()
  withExtendedLifetime(central) {}
case "peripheral":
  guard let address = MACAddress(options["--address"] ?? "C0:FF:EE:00:00:01") else {
    print("no address: \(options["--address"] ?? "")")
    exit(64)
  }
  let device = VendorPeripheral(
    vendor: .nimbus, name: options["--name"] ?? "Nimbus", address: address,
    deafness: options["--deaf"].flatMap { Int($0) } ?? 0, isSwindler: options["--swindler"] == "yes")
  RunLoop.main.run()
  withExtendedLifetime(device) {}
case "check":
  exit(KnownAnswers.check() ? 0 : 1)
default:
  print("usage: VendorDevice central [ADDRESS] | VendorDevice peripheral [--name NAME] [--address ADDRESS] ... | check")
  exit(64)
}
