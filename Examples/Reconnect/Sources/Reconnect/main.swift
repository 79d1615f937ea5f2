import CoreBluetooth
import Foundation

// usage: Reconnect central [--memory FILE] [--budget SECONDS] [--prefix PREFIX] [NAME]
//          stays with one device: the remembered one, or NAME as soon as it is listed, or what `choose NAME` says
//        Reconnect peripheral NAME
//          such a device

setvbuf(stdout, nil, _IOLBF, 0)
var arguments = CommandLine.arguments.dropFirst()
let role = arguments.popFirst()
var options: [String: String] = [:]
var names: [String] = []
while let argument = arguments.popFirst() {
  if argument.hasPrefix("--"), let value = arguments.popFirst() {
    options[argument] = value
  } else {
    names.append(argument)
  }
}

switch role {
case "central":
  let reconnector = Reconnector(
    memory: Memory(path: options["--memory"]), prefix: options["--prefix"] ?? "SMART_",
    budget: options["--budget"].flatMap { TimeInterval($0) } ?? 60)
  let terminal = Terminal(reconnector, choice: names.first)
  terminal.readKeyboard()
  RunLoop.main.run()
  withExtendedLifetime(terminal) {}
case "peripheral":
  let device = SmartDevice(name: names.first ?? "SMART_lamp")
  RunLoop.main.run()
  withExtendedLifetime(device) {}
default:
  print(
    "usage: Reconnect central [--memory FILE] [--budget SECONDS] [--prefix PREFIX] [NAME] | Reconnect peripheral NAME")
  exit(64)
}
