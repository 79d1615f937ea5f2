import CoreBluetooth
import Foundation

/// The program's face: a line for each thing that happens, and a few words to type.
final class Terminal: ReconnectorDelegate {
  private let reconnector: Reconnector
  private let page = DevicePage()
  /// Chosen as soon as it is listed, as if the user had been quick.
  private var choice: String?

  init(_ reconnector: Reconnector, choice: String?) {
    self.reconnector = reconnector
    self.choice = choice
    reconnector.delegate = self
  }

  /// Lines from the keyboard, each brought to the main queue.
  func readKeyboard() {
    Thread.detachNewThread {
      while let line = readLine() {
        DispatchQueue.main.async { self.obey(line.split(separator: " ").map(String.init)) }
      }
    }
  }

  private func obey(_ words: [String]) {
    switch (words.first, words.dropFirst().first) {
    case ("list", _): reconnector.list()
    case ("choose", let name?): if !reconnector.choose(name) { print("no \(name) in the list") }
    case ("disconnect", _): reconnector.disconnect()
    case ("forget", _): reconnector.forget()
    case ("quit", _): exit(0)
    default: print("type: list | choose NAME | disconnect | forget | quit")
    }
  }

  func reconnector(_ reconnector: Reconnector, didList name: String) {
    print("listed \(name)")
    if name == choice {
      choice = nil
      reconnector.choose(name)
    }
  }

  func reconnectorDidEndListing(_ reconnector: Reconnector) { print("the list is complete") }

  func reconnector(_ reconnector: Reconnector, didStartTrying origin: Origin, name: String) {
    choice = nil
    print(origin == .chosen ? "connecting to \(name) ..." : "waiting for \(name) to come back ...")
  }

  func reconnector(_ reconnector: Reconnector, didConnect peripheral: CBPeripheral, origin: Origin) {
    let name = peripheral.name ?? "the device"
    switch origin {
    case .chosen: print("page of \(name)")
    case .automatic: print("status: \(name) is back")
    }
    page.show(peripheral)
  }

  func reconnector(_ reconnector: Reconnector, didEnd end: EndOfConnection) {
    switch end {
    case .askedFor: print("disconnected")
    case .lost(let error): print("lost \((error as? CBError)?.code.rawValue ?? -1) \(error.localizedDescription)")
    case .forgottenByDevice: print("the device has forgotten this machine: pair again")
    }
  }

  func reconnector(_ reconnector: Reconnector, didStopTrying reason: StopReason) {
    switch reason {
    case .connected: break
    case .budgetSpent: print("stopped trying: the device did not turn up in time")
    case .givenUp: print("stopped trying: given up")
    case .bluetoothGone: print("stopped trying: there is no Bluetooth")
    case .forgottenByDevice: print("stopped trying: the device has forgotten this machine: pair again")
    }
  }

  func reconnector(_ reconnector: Reconnector, bluetoothIsGone state: CBManagerState) {
    print("the device is gone: Bluetooth is in state \(state.rawValue)")
  }
}
